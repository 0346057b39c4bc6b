import { z } from 'zod'

const count = z.number().int().nonnegative().nullable()

/**
 * Tokens by kind, each counted once: `fresh_input` excludes what was read from or written to the prompt cache;
 * `output` includes `reasoning`. `null` is unknown, never 0.
 */
export const TokensSchema = z.strictObject({
  fresh_input: count,
  cache_read: count,
  cache_write: count,
  output: count,
  reasoning: count,
})
export type Tokens = z.infer<typeof TokensSchema>
export type TokenKind = keyof Tokens
export const TOKEN_KINDS = Object.keys(TokensSchema.shape) as TokenKind[]
export const UNKNOWN_TOKENS: Tokens = {
  fresh_input: null,
  cache_read: null,
  cache_write: null,
  output: null,
  reasoning: null,
}

/** `main` answers the agent's turn; `compaction` was made while a compaction ran; `auxiliary` is any other (titles, refiners). */
export const CallKindSchema = z.enum(['main', 'compaction', 'auxiliary'])
export type CallKind = z.infer<typeof CallKindSchema>

/** One line of model-calls.jsonl: one request that reached the gateway, failed and aborted ones included. */
export const ModelCallSchema = z.strictObject({
  /** 1, 2, 3 … within the attempt, in order of arrival. */
  call: z.int().positive(),
  /** Stage whose message was last sent, or null before the first. */
  stage: z.string().nullable(),
  kind: CallKindSchema,
  model: z.string().nullable(),
  started_at: z.iso.datetime(),
  /** Milliseconds until the first byte of the answer, and until its last. */
  first_byte_ms: z.number().nonnegative().nullable(),
  duration_ms: z.number().nonnegative(),
  /** HTTP status that the agent received; null when the connection ended before one. */
  status: z.int().nullable(),
  /** Why the call has no complete answer; null when it has one. */
  error: z.string().nullable(),
  request_bytes: z.int().nonnegative(),
  response_bytes: z.int().nonnegative(),
  /** The usage object as the provider sent it, untouched. */
  provider_usage: z.record(z.string(), z.unknown()).nullable(),
  tokens: TokensSchema,
  /** US dollars, from the price table; null when the tokens or the price are unknown. */
  cost_usd: z.number().nonnegative().nullable(),
})
export type ModelCall = z.infer<typeof ModelCallSchema>

const whole = z.int().nonnegative()

/** What the model cost. `known_*` say for how many of the calls the sum is known; a sum with none known is null. */
export const UsageSchema = z.strictObject({
  calls: z.strictObject({ main: whole, compaction: whole, auxiliary: whole, failed: whole }),
  tokens: TokensSchema,
  known_token_calls: whole,
  cost_usd: z.number().nonnegative().nullable(),
  known_cost_calls: whole,
  total_calls: whole,
  /** Largest input (fresh, cached read and written) of one call. */
  peak_input_tokens: count,
  /** Output tokens of the last main call. */
  final_output_tokens: count,
})
export type Usage = z.infer<typeof UsageSchema>
