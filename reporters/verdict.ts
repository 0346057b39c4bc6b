import { groupBy } from './group.ts'
import { METRIC_WORDS } from './pairs.ts'
import { METRICS, type Summary } from './schema.ts'
import { counted, plain, rate } from './text.ts'

/** Who passed how much, of the primaries. Unescaped. */
export function strictLine(summary: Summary): string {
  return `Strict passes: ${summary.primary.corpus.map((arm) => `${arm.arm} ${rate(arm.strict)}`).join(', ')}.`
}

/** What the figures of the primaries say, a sentence a line. Unescaped. */
export function verdictLines(summary: Summary): string[] {
  const lines = [...infrastructure(summary), ...warnings(summary)]
  if (!summary.complete) lines.push(incomplete(summary))
  if (!summary.comparison) return lines
  const { corpus, reference, candidate } = summary.comparison.primary
  const claims = [corpus.correctness.claim, ...METRICS.map((metric) => corpus.ratios[metric].claim)].filter(
    (claim) => claim !== null,
  )
  if (claims.length > 0) return [...lines, ...claims]
  if (!summary.measurement) return [...lines, 'No claim: this is not a measurement.']
  if (corpus.matched < 2)
    return [
      ...lines,
      `${counted(corpus.matched, 'task')} passed by both ${candidate} and ${reference}: too few to compare.`,
    ]
  const { agent_ms: time, cost_usd: cost } = METRIC_WORDS
  return [
    ...lines,
    `No difference shown between ${candidate} and ${reference} in correctness, ${time.name} or ${cost.name} ` +
      `(${counted(corpus.matched, 'pair')} that both passed).`,
  ]
}

/** That attempts failed through no fault of an arm, a line for all arms. */
function infrastructure({ all }: Summary): string[] {
  const hit = all.corpus.filter(({ outcomes }) => outcomes.infra_error > 0)
  if (hit.length === 0) return []
  const counts = hit.map(
    ({ arm, outcomes, attempts }) => `${arm} ${outcomes.infra_error} of ${counted(attempts, 'attempt')}`,
  )
  return [`Infrastructure errors, which say nothing about an arm: ${counts.join(', ')}; "Not passed" has the reasons.`]
}

/** That something failed inside an arm's agent, a line an arm, with an example. */
function warnings({ warnings }: Summary): string[] {
  return [...groupBy(warnings, ({ arm }) => arm)].map(
    ([arm, hit]) => `Warnings of ${arm} in ${counted(hit.length, 'attempt')}, for example: ${plain(hit[0]!.says[0]!)}`,
  )
}

function incomplete({ missing, problems }: Summary): string {
  const parts = [
    missing.length > 0 ? `${counted(missing.length, 'attempt')} of the plan not made yet` : '',
    problems.length > 0 ? `${counted(problems.length, 'stored file')} not usable` : '',
  ].filter(Boolean)
  const goesOn = missing.length > 0 ? '; a run with the same id goes on' : ''
  return `Incomplete: ${parts.join(', ') || 'an attempt has not ended'}${goesOn}.`
}
