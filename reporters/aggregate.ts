import { OutcomeSchema } from '../bench/attempt/outcome.ts'
import { type AttemptRecord, TimesSchema } from '../bench/attempt/record.ts'
import { TOKEN_KINDS, type TokenKind } from '../bench/gateway/call.ts'
import type { ArmSummary, Quantity } from './schema.ts'
import { isFinished, isStrict } from './selection.ts'
import { mean, median, sum, wilson } from './statistics.ts'

const LEVELS = [0, 1, 2, 3, 4, 5, 'unknown'] as const
type Level = (typeof LEVELS)[number]

const TIME_KINDS = Object.keys(TimesSchema.shape) as (keyof AttemptRecord['times'])[]

/** The parts of cache reuse, as the specification's section 7 has them. */
const REUSE_KINDS = ['fresh_input', 'cache_read', 'cache_write'] as const satisfies readonly TokenKind[]

/** Are the tokens, or the cost, of every call of the attempt known? */
export function tokensComplete(record: AttemptRecord): boolean {
  return record.usage.known_token_calls === record.usage.total_calls
}
export function costComplete(record: AttemptRecord): boolean {
  return record.usage.known_cost_calls === record.usage.total_calls
}

/** Tokens that the model read and wrote; null when one of the four kinds is unknown. */
export function totalTokens(record: AttemptRecord): number | null {
  const { fresh_input, cache_read, cache_write, output } = record.usage.tokens
  if (fresh_input === null || cache_read === null || cache_write === null || output === null) return null
  return fresh_input + cache_read + cache_write + output
}

/** `read` gives an attempt's value or null; `complete` says whether that value is the whole of it. */
function quantity(
  records: readonly AttemptRecord[],
  read: (record: AttemptRecord) => number | null,
  complete: (record: AttemptRecord) => boolean = () => true,
): Quantity {
  const parts: number[] = []
  const whole: number[] = []
  for (const record of records) {
    const value = read(record)
    if (value === null) continue
    parts.push(value)
    if (complete(record)) whole.push(value)
  }
  return {
    sum: parts.length === 0 ? null : sum(parts),
    mean: mean(whole),
    median: median(whole),
    known: whole.length,
    of: records.length,
  }
}

function cacheReuse(records: readonly AttemptRecord[]): ArmSummary['cache_reuse'] {
  let read = 0
  let input = 0
  let known = 0
  const unknownKinds = new Set<TokenKind>()
  for (const { usage } of records) {
    const { fresh_input, cache_read, cache_write } = usage.tokens
    if (fresh_input === null || cache_read === null || cache_write === null) {
      for (const kind of REUSE_KINDS) if (usage.tokens[kind] === null) unknownKinds.add(kind)
      continue
    }
    known += 1
    read += cache_read
    input += fresh_input + cache_read + cache_write
  }
  const coverage = { known, of: records.length }
  if (records.length === 0) return { ratio: null, reason: 'no attempts', ...coverage }
  if (records.every(({ usage }) => usage.total_calls === usage.calls.failed))
    return { ratio: null, reason: 'no call was answered', ...coverage }
  if (known === 0) {
    const kinds = REUSE_KINDS.filter((kind) => unknownKinds.has(kind)).join(', ')
    return { ratio: null, reason: `the provider does not report ${kinds}, so the formula does not apply`, ...coverage }
  }
  if (input === 0) return { ratio: null, reason: 'no input tokens', ...coverage }
  return { ratio: read / input, reason: null, ...coverage }
}

function compactions(records: readonly AttemptRecord[]): ArmSummary['compactions'] {
  const counts = { requested: 0, completed: 0, failed: 0, unsupported: 0, unanswered: 0, natural: 0 }
  for (const record of records) {
    for (const { origin, phase } of record.compactions) {
      if (origin === 'natural') counts.natural += 1
      else {
        counts.requested += 1
        counts[phase === 'requested' ? 'unanswered' : phase] += 1
      }
    }
  }
  return counts
}

function countOf<Key extends string | number>(keys: readonly Key[], values: readonly Key[]): Record<Key, number> {
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>
  for (const value of values) counts[value] += 1
  return counts
}

function reasonsOf(records: readonly AttemptRecord[]): ArmSummary['reasons'] {
  const counts: ArmSummary['reasons'] = {}
  for (const { reason } of records) if (reason) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

/** Everything about one arm in one scope; `records` are that arm's attempts there, in any order. */
export function summariseArm(arm: string, records: readonly AttemptRecord[]): ArmSummary {
  const finished = records.filter(isFinished).length
  const passed = records.filter(isStrict).length
  const total = (read: (record: AttemptRecord) => number) => {
    let result = 0
    for (const record of records) result += read(record)
    return result
  }
  const levels = records.flatMap(({ level }) => (level === null ? [] : [level]))
  const peaks = records.flatMap(({ usage }) => (usage.peak_input_tokens === null ? [] : [usage.peak_input_tokens]))
  const calls = total(({ usage }) => usage.total_calls)
  return {
    arm,
    attempts: records.length,
    strict: {
      passed,
      of: finished,
      rate: finished === 0 ? null : passed / finished,
      interval: wilson(passed, finished),
    },
    levels: countOf(
      LEVELS,
      records.map(({ level }): Level => (level as Level | null) ?? 'unknown'),
    ),
    level_mean: mean(levels),
    outcomes: countOf(
      [...OutcomeSchema.options, 'running'],
      records.map(({ outcome }) => outcome ?? 'running'),
    ),
    reasons: reasonsOf(records),
    times: Object.fromEntries(
      TIME_KINDS.map((kind) => [kind, quantity(records, ({ times }) => times[kind])]),
    ) as ArmSummary['times'],
    calls: {
      main: total(({ usage }) => usage.calls.main),
      compaction: total(({ usage }) => usage.calls.compaction),
      auxiliary: total(({ usage }) => usage.calls.auxiliary),
      failed: total(({ usage }) => usage.calls.failed),
      total: calls,
    },
    tools: {
      calls: total(({ tools }) => tools.calls),
      errors: total(({ tools }) => tools.errors),
      result_bytes: total(({ tools }) => tools.result_bytes),
    },
    tokens: {
      ...(Object.fromEntries(
        TOKEN_KINDS.map((kind) => [kind, quantity(records, ({ usage }) => usage.tokens[kind], tokensComplete)]),
      ) as Record<TokenKind, Quantity>),
      total: quantity(records, totalTokens, tokensComplete),
    },
    token_calls: { known: total(({ usage }) => usage.known_token_calls), of: calls },
    cost_usd: quantity(records, ({ usage }) => usage.cost_usd, costComplete),
    cost_calls: { known: total(({ usage }) => usage.known_cost_calls), of: calls },
    peak_input_tokens: {
      max: peaks.length === 0 ? null : Math.max(...peaks),
      median: median(peaks),
      known: peaks.length,
      of: records.length,
    },
    final_output_tokens: quantity(records, ({ usage }) => usage.final_output_tokens),
    cache_reuse: cacheReuse(records),
    compactions: compactions(records),
    retries: total(({ retries }) => retries),
    twin: countOf(
      ['passed', 'failed', 'unknown'],
      records.map(({ judge }) => (judge?.twin_passed == null ? 'unknown' : judge.twin_passed ? 'passed' : 'failed')),
    ),
  }
}
