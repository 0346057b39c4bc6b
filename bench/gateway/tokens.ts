import { type Tokens, UNKNOWN_TOKENS } from './call.ts'

type Usage = Record<string, unknown>

/**
 * `reported`: a provider that says nothing of its prompt cache leaves the cache unknown.
 * `none`: the provider keeps no prompt cache (a local server), so silence means 0.
 */
export type PromptCache = 'reported' | 'none'

/**
 * Tokens by kind from the usage object of a chat-completions answer.
 *
 * `prompt_tokens` holds every input token, cached ones included (OpenAI, OpenRouter, LiteLLM, DeepSeek, Moonshot), so fresh input is
 * what is left after reads and writes. A format without a field for writes bills written tokens as ordinary input: 0 writes.
 * Where cached reads are not reported, neither reads nor fresh input can be told: both stay unknown.
 */
export function tokensOf(usage: Usage | null, promptCache: PromptCache = 'reported'): Tokens {
  if (!usage) return { ...UNKNOWN_TOKENS }
  return { ...inputOf(usage, promptCache), ...outputOf(usage) }
}

function inputOf(usage: Usage, promptCache: PromptCache): Pick<Tokens, 'fresh_input' | 'cache_read' | 'cache_write'> {
  const details = objectAt(usage, 'prompt_tokens_details')
  const prompt = countAt(usage, 'prompt_tokens')
  const silent = promptCache === 'none' ? 0 : null
  const read =
    countAt(details, 'cached_tokens') ??
    countAt(usage, 'prompt_cache_hit_tokens') ??
    countAt(usage, 'cache_read_input_tokens') ??
    countAt(usage, 'cached_tokens') ??
    silent
  const written =
    countAt(details, 'cache_write_tokens') ??
    countAt(details, 'cache_creation_tokens') ??
    countAt(usage, 'cache_creation_input_tokens') ??
    countAt(usage, 'cache_write_tokens') ??
    (read === null ? null : 0)
  const fresh = prompt === null || read === null || written === null ? null : prompt - read - written
  return { fresh_input: fresh !== null && fresh >= 0 ? fresh : null, cache_read: read, cache_write: written }
}

/** `completion_tokens` includes reasoning, unless the total shows that the provider counts it apart (xAI, Gemini). */
function outputOf(usage: Usage): Pick<Tokens, 'output' | 'reasoning'> {
  const completion = countAt(usage, 'completion_tokens')
  const reasoning = countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens')
  if (completion === null || !reasoning) return { output: completion, reasoning }
  const prompt = countAt(usage, 'prompt_tokens')
  const total = countAt(usage, 'total_tokens')
  if (prompt !== null && total === prompt + completion + reasoning) return { output: completion + reasoning, reasoning }
  return { output: reasoning > completion ? null : completion, reasoning }
}

function objectAt(holder: Usage, key: string): Usage {
  const value = holder[key]
  return value !== null && typeof value === 'object' ? (value as Usage) : {}
}

/** A count at a key, or null where there is none: absent, null, negative and fractional values say nothing. */
export function countAt(holder: Usage, key: string): number | null {
  const value = holder[key]
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
}
