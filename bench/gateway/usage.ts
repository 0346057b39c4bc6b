import { type ModelCall, TOKEN_KINDS, type Tokens, type Usage } from './call.ts'
import { countAt } from './tokens.ts'

/** Adds numbers of which some are unknown: the sum of the known ones, null when none is known. */
export function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

/** Without any call there is nothing unknown: the sum is 0. */
const sumOfCalls = (values: readonly (number | null)[]): number | null => (values.length === 0 ? 0 : sumKnown(values))

/** Every kind that is billed is known; reasoning is a part of the output and may be unknown. */
export const tokensKnown = ({ fresh_input, cache_read, cache_write, output }: Tokens): boolean =>
  fresh_input !== null && cache_read !== null && cache_write !== null && output !== null

/** Input of a call in tokens, cached or not: by kind, else the total that the provider gave; null when unknown. */
export function inputTokens(call: Pick<ModelCall, 'tokens' | 'provider_usage'>): number | null {
  const { fresh_input, cache_read, cache_write } = call.tokens
  if (fresh_input !== null && cache_read !== null && cache_write !== null) return fresh_input + cache_read + cache_write
  return call.provider_usage && countAt(call.provider_usage, 'prompt_tokens')
}

/**
 * What a list of calls cost. `calls` splits the total: a call that has no complete answer is `failed`, whatever its kind;
 * tokens that a failed call did report are in the sums all the same, because they were billed.
 */
export function usageOf(calls: readonly ModelCall[]): Usage {
  const answered = calls.filter((call) => call.error === null)
  const ofKind = (kind: ModelCall['kind']) => answered.filter((call) => call.kind === kind)
  const inputs = calls.map(inputTokens).filter((value) => value !== null)
  const lastMain = ofKind('main').reduce<ModelCall | null>(
    (last, call) => (last && last.call > call.call ? last : call),
    null,
  )
  return {
    calls: {
      main: ofKind('main').length,
      compaction: ofKind('compaction').length,
      auxiliary: ofKind('auxiliary').length,
      failed: calls.length - answered.length,
    },
    tokens: Object.fromEntries(
      TOKEN_KINDS.map((kind) => [kind, sumOfCalls(calls.map((call) => call.tokens[kind]))]),
    ) as Tokens,
    known_token_calls: calls.filter((call) => tokensKnown(call.tokens)).length,
    cost_usd: sumOfCalls(calls.map((call) => call.cost_usd)),
    known_cost_calls: calls.filter((call) => call.cost_usd !== null).length,
    total_calls: calls.length,
    peak_input_tokens: inputs.length === 0 ? null : inputs.reduce((peak, value) => Math.max(peak, value), 0),
    final_output_tokens: lastMain?.tokens.output ?? null,
  }
}
