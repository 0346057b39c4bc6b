import type { AttemptRecord } from '../bench/attempt/record.ts'
import { costComplete, tokensComplete, totalTokens } from './aggregate.ts'
import {
  type Comparison,
  METRICS,
  type Metric,
  type Pair,
  type PairScope,
  type PairSide,
  type RatioSummary,
} from './schema.ts'
import { isFinished, isStrict } from './selection.ts'
import { geometricMean, mcnemar } from './statistics.ts'
import { counted } from './text.ts'

/** Below this many pairs a ratio is marked as resting on few. */
export const SMALL_SAMPLE = 10

/** Significance level of the correctness claim. */
export const ALPHA = 0.05

/** How the metrics are named in a sentence, and what less of it means. */
export const METRIC_WORDS: Record<Metric, { name: string; less: string; more: string }> = {
  agent_ms: { name: 'agent time', less: 'faster', more: 'slower' },
  cost_usd: { name: 'cost', less: 'cheaper', more: 'dearer' },
  main_calls: { name: 'main model calls', less: 'fewer', more: 'more' },
  total_tokens: { name: 'total tokens', less: 'fewer', more: 'more' },
  fresh_input: { name: 'fresh input tokens', less: 'fewer', more: 'more' },
  cache_read: { name: 'cache-read tokens', less: 'fewer', more: 'more' },
  cache_write: { name: 'cache-write tokens', less: 'fewer', more: 'more' },
  output: { name: 'output tokens', less: 'fewer', more: 'more' },
  reasoning: { name: 'reasoning tokens', less: 'fewer', more: 'more' },
}

export interface Names {
  readonly reference: string
  readonly candidate: string
}

function forMetrics<T>(make: (metric: Metric) => T): Record<Metric, T> {
  return Object.fromEntries(METRICS.map((metric) => [metric, make(metric)])) as Record<Metric, T>
}

/** A value that is only partly known (some calls without usage) counts as unknown: ratios compare whole attempts. */
function metricOf(record: AttemptRecord, metric: Metric): number | null {
  switch (metric) {
    case 'agent_ms':
      return record.times.agent_ms
    case 'cost_usd':
      return costComplete(record) ? record.usage.cost_usd : null
    case 'main_calls':
      return record.usage.calls.main
    case 'total_tokens':
      return tokensComplete(record) ? totalTokens(record) : null
    default:
      return tokensComplete(record) ? record.usage.tokens[metric] : null
  }
}

function sideOf(record: AttemptRecord | undefined): PairSide | null {
  if (!record) return null
  return {
    attempt: record.attempt,
    outcome: record.outcome,
    level: record.level,
    strict: isStrict(record),
    values: forMetrics((metric) => metricOf(record, metric)),
  }
}

function ratioOf(pair: Pick<Pair, 'reference' | 'candidate' | 'matched'>, metric: Metric): number | null {
  const reference = pair.reference?.values[metric] ?? null
  const candidate = pair.candidate?.values[metric] ?? null
  if (!pair.matched || reference === null || candidate === null || reference === 0 || candidate === 0) return null
  return candidate / reference
}

function summariseRatio(pairs: readonly Pair[], metric: Metric, names: Names, mayClaim: boolean): RatioSummary {
  const ratios: number[] = []
  const leftOut = { unknown: 0, zero: 0 }
  for (const { ratios: ofPair, reference, candidate, matched } of pairs) {
    if (!matched) continue
    const ratio = ofPair[metric]
    if (ratio !== null) ratios.push(ratio)
    else if (reference?.values[metric] == null || candidate?.values[metric] == null) leftOut.unknown += 1
    else leftOut.zero += 1
  }
  const { mean, interval } = geometricMean(ratios)
  return {
    pairs: ratios.length,
    geometric_mean: mean,
    interval,
    left_out: leftOut,
    wins: ratios.filter((ratio) => ratio < 1).length,
    losses: ratios.filter((ratio) => ratio > 1).length,
    ties: ratios.filter((ratio) => ratio === 1).length,
    small_sample: ratios.length < SMALL_SAMPLE,
    claim: mayClaim && mean !== null && interval ? ratioClaim(mean, interval, ratios.length, metric, names) : null,
  }
}

function ratioClaim(mean: number, interval: [number, number], n: number, metric: Metric, names: Names): string | null {
  const [low, high] = interval
  if (low <= 1 && high >= 1) return null
  const { name, less, more } = METRIC_WORDS[metric]
  const percent = Math.abs(mean - 1) * 100
  return (
    `${names.candidate} is ${percent.toFixed(0)} % ${mean < 1 ? less : more} than ${names.reference} in ${name} ` +
    `(ratio ${mean.toFixed(2)}, 95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}, ${counted(n, 'pair')} that both passed).`
  )
}

/** Does the side say anything about the agent's correctness? */
function hasVerdict(side: PairSide | null): side is PairSide {
  return side !== null && side.outcome !== null && side.outcome !== 'interrupted' && side.outcome !== 'infra_error'
}

function correctnessOf(pairs: readonly Pair[], names: Names, mayClaim: boolean): PairScope['correctness'] {
  const counts = { both: 0, candidate_only: 0, reference_only: 0, neither: 0, left_out: 0 }
  for (const { reference, candidate } of pairs) {
    if (!hasVerdict(reference) || !hasVerdict(candidate)) counts.left_out += 1
    else if (reference.strict && candidate.strict) counts.both += 1
    else if (candidate.strict) counts.candidate_only += 1
    else if (reference.strict) counts.reference_only += 1
    else counts.neither += 1
  }
  const p = mcnemar(counts.candidate_only, counts.reference_only)
  const [winner, loser] =
    counts.candidate_only > counts.reference_only
      ? [names.candidate, names.reference]
      : [names.reference, names.candidate]
  const claim =
    mayClaim && p !== null && p < ALPHA
      ? `${winner} passes tasks that ${loser} fails more often than the reverse ` +
        `(${counts.candidate_only} only ${names.candidate}, ${counts.reference_only} only ${names.reference}, p = ${p.toPrecision(2)}).`
      : null
  return { ...counts, p_value: p, claim }
}

function summariseScope(pairs: readonly Pair[], names: Names, mayClaim: boolean): PairScope {
  return {
    matched: pairs.filter(({ matched }) => matched).length,
    ratios: forMetrics((metric) => summariseRatio(pairs, metric, names, mayClaim)),
    correctness: correctnessOf(pairs, names, mayClaim),
  }
}

/**
 * The two arms of the comparison, task by task, then by class and corpus. `records` hold at most one attempt for each task
 * and arm (a primary or selected view), `tasks` all tasks of the plan. Efficiency only where both are strict passes.
 * Publication and efficiency gates need nothing else: each pair carries both sides' outcome, level and whole values.
 */
export function comparePairs(
  records: readonly AttemptRecord[],
  tasks: readonly { task: string; pressure: AttemptRecord['pressure'] }[],
  names: Names,
  mayClaim: boolean,
): Comparison {
  const byKey = new Map(records.map((record) => [`${record.task}/${record.arm}`, record]))
  const pairs = tasks.map(({ task, pressure }): Pair => {
    const reference = byKey.get(`${task}/${names.reference}`)
    const candidate = byKey.get(`${task}/${names.candidate}`)
    const matched = [reference, candidate].every((record) => record && isFinished(record) && isStrict(record))
    const sides = { reference: sideOf(reference), candidate: sideOf(candidate), matched }
    return { task, pressure, ...sides, ratios: forMetrics((metric) => ratioOf(sides, metric)) }
  })
  const classes = [...new Set(pairs.map(({ pressure }) => pressure))]
  return {
    ...names,
    pairs,
    corpus: summariseScope(pairs, names, mayClaim),
    classes: classes.map((pressure) => ({
      pressure,
      ...summariseScope(
        pairs.filter((pair) => pair.pressure === pressure),
        names,
        mayClaim,
      ),
    })),
  }
}
