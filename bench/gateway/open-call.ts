import { type CallKind, type ModelCall, type Tokens, UNKNOWN_TOKENS } from './call.ts'
import { costOf, type Price } from './prices.ts'
import { type PromptCache, tokensOf } from './tokens.ts'

/** A call that is under way: filled in as it goes, and turned into its line at its end. */
export interface OpenCall {
  readonly call: number
  readonly stage: string | null
  kind: CallKind
  model: string | null
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  firstByteAt: number | null
  status: number | null
  error: string | null
  requestBytes: number
  responseBytes: number
  providerUsage: Record<string, unknown> | null
  /** The copy that was read is a whole answer. */
  complete: boolean
  /** False while nothing was sent to the model: then it used nothing, for certain. */
  forwarded: boolean
}

const NO_TOKENS: Tokens = { fresh_input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 }

/** The line of a call that ended at `endedAt` (milliseconds since the epoch). */
export function closeCall(
  open: OpenCall,
  endedAt: number,
  billing: { price: Price | null; promptCache: PromptCache },
): ModelCall {
  const tokens = open.forwarded
    ? open.providerUsage
      ? tokensOf(open.providerUsage, billing.promptCache)
      : UNKNOWN_TOKENS
    : NO_TOKENS
  return {
    call: open.call,
    stage: open.stage,
    kind: open.kind,
    model: open.model,
    started_at: new Date(open.startedAt).toISOString(),
    first_byte_ms: open.firstByteAt === null ? null : since(open.startedAt, open.firstByteAt),
    duration_ms: since(open.startedAt, endedAt),
    status: open.status,
    error: open.error,
    request_bytes: open.requestBytes,
    response_bytes: open.responseBytes,
    provider_usage: open.providerUsage,
    tokens: { ...tokens },
    cost_usd: open.forwarded ? costOf(tokens, billing.price) : 0,
  }
}

const since = (start: number, end: number): number => Math.max(0, Math.round((end - start) * 1000) / 1000)
