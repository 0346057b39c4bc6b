import { REASONS } from '../bench/attempt/outcome.ts'
import type { AttemptRecord, Plan } from '../bench/attempt/record.ts'
import { METRIC_WORDS, SMALL_SAMPLE } from './pairs.ts'
import { type ArmSummary, type Comparison, METRICS, type PairScope, type RatioSummary, type Summary } from './schema.ts'
import { isStrict } from './selection.ts'
import {
  amount,
  counted,
  coverage,
  dollars,
  duration,
  escapeMarkdown,
  factor,
  fixed,
  percent,
  rate,
  UNKNOWN,
  withInterval,
} from './text.ts'
import { strictLine, verdictLines } from './verdict.ts'

/** Notes of the judge that are shown of one attempt; its judge.json has all. */
const MAX_NOTES = 8

/** SUMMARY.md. `attempts` are sorted; every string of an agent, a judge or a host is escaped. */
export function renderMarkdown(summary: Summary, plan: Plan, attempts: readonly AttemptRecord[]): string {
  const sections = [
    heading(summary, plan),
    summary.comparison && pairsSection(summary.comparison.primary, 'primary attempts'),
    summary.comparison && hasRetries(attempts) && pairsSection(summary.comparison.selected, 'selected attempts'),
    classesSection(summary),
    corpusSection(summary),
    failuresSection(attempts),
    usageSection(summary),
    compactionSection(summary),
    saidSection(
      'The agent says otherwise',
      'Figures are those of the gateway; here the agent reported others.',
      summary.disagreements,
    ),
    saidSection(
      'Warnings',
      'Inside the agent something failed that ended nothing: an arm may not be what it is meant to be.',
      summary.warnings,
    ),
    problemsSection(summary),
    METHOD,
  ]
  return sections.filter((section) => section).join('\n\n')
}

function hasRetries(attempts: readonly AttemptRecord[]): boolean {
  return attempts.some(({ attempt }) => attempt > 1)
}

function settings(plan: Plan): string[] {
  const { provider, id, reasoning } = plan.model
  return [
    `Model ${escapeMarkdown(`${provider}/${id}`)}${reasoning === null ? '' : `, reasoning ${escapeMarkdown(reasoning)}`}`,
    `arms ${plan.arms.map(armWords).join(', ')}`,
    `${counted(plan.tasks.length, 'task')}, ${plan.scale} fixtures`,
    `prices ${plan.prices ? `of ${escapeMarkdown(plan.prices.dated)} (${escapeMarkdown(plan.prices.source)})` : 'unknown'}`,
    `corpus \`${plan.corpus_digest.replaceAll(/[^0-9a-z:]/gi, '').slice(0, 16)}\``,
  ]
}

function armWords({ name, agent, host_version, extensions }: Plan['arms'][number]): string {
  return `${escapeMarkdown(name)} (${escapeMarkdown([agent, host_version, ...extensions].filter(Boolean).join(', '))})`
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

function heading(summary: Summary, plan: Plan): string {
  return [
    `# rw30 ${escapeMarkdown(summary.run_id)}`,
    ...(summary.measurement
      ? []
      : [`> **Not a measurement:** ${summary.not_measured_because.map((why) => escapeMarkdown(why)).join('; ')}.`]),
    [strictLine(summary), ...verdictLines(summary)].map((line) => `- ${escapeMarkdown(line, 1000)}`).join('\n'),
    `${settings(plan).join('; ')}.`,
  ].join('\n\n')
}

function pairsSection(comparison: Comparison, what: string): string {
  const { reference, candidate } = comparison
  const side = (value: Comparison['pairs'][number]['reference']) =>
    value === null
      ? UNKNOWN
      : `${value.level ?? UNKNOWN}${value.strict ? ' ✓' : ''}${value.attempt > 1 ? ' (retry)' : ''}`
  const rows = comparison.pairs.map(({ task, reference: left, candidate: right, ratios }) => [
    escapeMarkdown(task),
    side(left),
    side(right),
    duration(left?.values.agent_ms ?? null),
    duration(right?.values.agent_ms ?? null),
    factor(ratios.agent_ms),
    dollars(left?.values.cost_usd ?? null),
    dollars(right?.values.cost_usd ?? null),
    factor(ratios.cost_usd),
    factor(ratios.total_tokens),
  ])
  const [a, b] = [escapeMarkdown(reference), escapeMarkdown(candidate)]
  return [
    `## Pairs: ${what}`,
    `Ratios are ${b} / ${a}, only where both are strict passes (✓, level 5).`,
    table(['Task', `Level ${a}`, b, `Agent time ${a}`, b, 'Ratio', `Cost ${a}`, b, 'Ratio', 'Tokens ratio'], rows),
    ratioTable(comparison.corpus),
    correctnessLine(comparison.corpus, reference, candidate),
  ].join('\n\n')
}

function ratioTable({ ratios, matched }: PairScope): string {
  return table(
    [`Over ${counted(matched, 'matched pair')}`, 'Geometric mean [95 %]', 'Pairs', 'Less', 'More', 'Equal', 'Left out'],
    METRICS.map((metric) => ratioRow(METRIC_WORDS[metric].name, ratios[metric])),
  )
}

function ratioRow(name: string, ratio: RatioSummary): string[] {
  const { unknown, zero } = ratio.left_out
  const leftOut = [unknown > 0 ? `${unknown} unknown` : '', zero > 0 ? `${zero} zero` : ''].filter(Boolean).join(', ')
  const few = ratio.small_sample && ratio.pairs > 0 ? ' (few)' : ''
  const mean = withInterval(ratio.geometric_mean, ratio.interval)
  return [name, mean, `${ratio.pairs}${few}`, `${ratio.wins}`, `${ratio.losses}`, `${ratio.ties}`, leftOut || '0']
}

function correctnessLine({ correctness }: PairScope, reference: string, candidate: string): string {
  const { both, candidate_only, reference_only, neither, left_out, p_value } = correctness
  return (
    `Correctness: both ${both}, only ${escapeMarkdown(candidate)} ${candidate_only}, only ${escapeMarkdown(reference)} ${reference_only}, ` +
    `neither ${neither}, left out ${left_out}; exact McNemar p = ${p_value === null ? UNKNOWN : fixed(p_value, 3)}.`
  )
}

function armRow(label: string, arm: ArmSummary): string[] {
  return [
    label,
    escapeMarkdown(arm.arm),
    `${arm.attempts}`,
    rate(arm.strict),
    `${fixed(arm.level_mean)}`,
    [0, 1, 2, 3, 4, 5].map((level) => arm.levels[level as 0]).join(' '),
    `${duration(arm.times.agent_ms.sum)}${coverage(arm.times.agent_ms)}`,
    duration(arm.times.agent_ms.median),
    `${dollars(arm.cost_usd.sum)}${coverage(arm.cost_usd)}`,
    `${arm.calls.total}`,
  ]
}

const ARM_HEADER = [
  '',
  'Arm',
  'Attempts',
  'Strict (95 %)',
  'Mean level',
  'Levels 0…5',
  'Agent time',
  'Median',
  'Cost',
  'Model calls',
]

function classesSection({ primary }: Summary): string {
  const rows = primary.classes.flatMap(({ pressure, arms }) => arms.map((arm) => armRow(pressure, arm)))
  return `## Classes: primary attempts\n\n${table(ARM_HEADER, rows)}`
}

function corpusSection(summary: Summary): string {
  const views = (['primary', 'selected', 'all'] as const).flatMap((view) =>
    summary[view].corpus.map((arm) => armRow(view, arm)),
  )
  const arms = summary.all.corpus
  const outcomes = Object.keys(arms[0]?.outcomes ?? {}) as (keyof ArmSummary['outcomes'])[]
  const timeKinds = Object.keys(arms[0]?.times ?? {}) as (keyof ArmSummary['times'])[]
  return [
    '## Corpus',
    table(ARM_HEADER, views),
    table(
      ['All attempts', ...arms.map(({ arm }) => escapeMarkdown(arm))],
      [
        ...outcomes.map((outcome) => [
          `outcome ${escapeMarkdown(outcome)}`,
          ...arms.map((arm) => `${arm.outcomes[outcome]}`),
        ]),
        ...timeKinds.map((kind) => [
          `${escapeMarkdown(kind.replace(/_ms$/, '').replace('_', ', '))} time`,
          ...arms.map(({ times }) => `${duration(times[kind].sum)}${coverage(times[kind])}`),
        ]),
        ['tool calls (errors)', ...arms.map(({ tools }) => `${tools.calls} (${tools.errors})`)],
        ['tool result bytes', ...arms.map(({ tools }) => amount(tools.result_bytes))],
        ['retried turns', ...arms.map(({ retries }) => `${retries}`)],
        [
          'twin passed / failed / not judged',
          ...arms.map(({ twin }) => `${twin.passed} / ${twin.failed} / ${twin.unknown}`),
        ],
      ],
    ),
  ].join('\n\n')
}

function failuresSection(attempts: readonly AttemptRecord[]): string | null {
  const failures = attempts.filter((record) => !isStrict(record))
  if (failures.length === 0) return null
  return ['## Not passed', ...failures.map(failure)].join('\n\n')
}

function failure(record: AttemptRecord): string {
  const { task, arm, attempt, level, outcome, reason, detail, judge } = record
  const why = reason ? REASONS[reason].says : 'it has not ended'
  const notes = judge?.notes ?? []
  const hidden = notes.length - MAX_NOTES
  return [
    `- **${escapeMarkdown(task)}**, ${escapeMarkdown(arm)}, attempt ${attempt}: level ${level ?? UNKNOWN}, ${escapeMarkdown(outcome ?? 'running')}: ${escapeMarkdown(why)}` +
      (detail ? ` (${escapeMarkdown(detail)})` : ''),
    ...(judge?.twin_passed === false && (level ?? 0) >= 4
      ? ['  - the twin fixture fails: the solution fits the visible data']
      : []),
    ...notes.slice(0, MAX_NOTES).map((note) => `  - ${escapeMarkdown(note)}`),
    ...(hidden > 0 ? [`  - … ${hidden} more in judge.json`] : []),
  ].join('\n')
}

function usageSection({ primary, all }: Summary): string {
  const arms = primary.corpus
  const kinds = Object.keys(arms[0]?.tokens ?? {}) as (keyof ArmSummary['tokens'])[]
  const row = (label: string, cell: (arm: ArmSummary) => string) => [label, ...arms.map(cell)]
  return [
    '## Tokens and cost: primary attempts',
    table(
      ['', ...arms.map(({ arm }) => escapeMarkdown(arm))],
      [
        ...kinds.map((kind) =>
          row(
            `${escapeMarkdown(kind.replace('_', ' '))} tokens`,
            ({ tokens }) => `${amount(tokens[kind].sum)}${coverage(tokens[kind])}`,
          ),
        ),
        row('cost', ({ cost_usd }) => `${dollars(cost_usd.sum)}${coverage(cost_usd)}`),
        row('calls with known tokens', ({ token_calls }) => `${token_calls.known} of ${token_calls.of}`),
        row('calls with known cost', ({ cost_calls }) => `${cost_calls.known} of ${cost_calls.of}`),
        row(
          'calls: main, compaction, auxiliary, failed',
          ({ calls }) => `${calls.main}, ${calls.compaction}, ${calls.auxiliary}, ${calls.failed}`,
        ),
        row('largest input of a call', ({ peak_input_tokens: peak }) => `${amount(peak.max)}${coverage(peak)}`),
        row('final response, mean', ({ final_output_tokens: final }) => `${amount(final.mean)}${coverage(final)}`),
        row('prompt cache reuse', ({ cache_reuse: reuse }) =>
          reuse.ratio === null
            ? `${UNKNOWN} (${escapeMarkdown(reuse.reason ?? '')})`
            : `${percent(reuse.ratio)}${coverage(reuse)}`,
        ),
      ],
    ),
    `All attempts cost ${all.corpus.map(({ arm, cost_usd }) => `${dollars(cost_usd.sum)}${coverage(cost_usd)} for ${escapeMarkdown(arm)}`).join(', ')}.`,
  ].join('\n\n')
}

function compactionSection({ primary }: Summary): string {
  const kinds = ['requested', 'completed', 'failed', 'unsupported', 'unanswered', 'natural'] as const
  return `## Compaction: primary attempts\n\n${table(
    ['Arm', ...kinds],
    primary.corpus.map(({ arm, compactions }) => [escapeMarkdown(arm), ...kinds.map((kind) => `${compactions[kind]}`)]),
  )}`
}

function saidSection(title: string, meaning: string, attempts: Summary['warnings']): string | null {
  if (attempts.length === 0) return null
  const lines = attempts.flatMap(({ task, arm, attempt, says }) =>
    says.map(
      (line) => `- ${escapeMarkdown(task)}, ${escapeMarkdown(arm)}, attempt ${attempt}: ${escapeMarkdown(line)}`,
    ),
  )
  return [`## ${title}`, meaning, lines.join('\n')].join('\n\n')
}

function problemsSection(summary: Summary): string | null {
  const { problems, missing } = summary
  if (problems.length + missing.length === 0) return null
  const begun = new Set(summary.all.tasks.map(({ task }) => task))
  const notRun = [...new Set(missing.map(({ task }) => task).filter((task) => !begun.has(task)))]
  return [
    '## Missing',
    [
      ...problems.map(({ path, problem }) => `- ${escapeMarkdown(path)}: ${escapeMarkdown(problem)}`),
      ...missing
        .filter(({ task }) => begun.has(task))
        .map(({ task, arm }) => `- ${escapeMarkdown(task)}, ${escapeMarkdown(arm)}: no finished primary attempt`),
      ...(notRun.length > 0 ? [`- not run: ${notRun.map((task) => escapeMarkdown(task)).join(', ')}`] : []),
    ].join('\n'),
  ].join('\n\n')
}

const METHOD = `## Method

- **Strict pass**: level 5, the main and the edge fixture. Its rate is over attempts that ended and were not interrupted; an infrastructure error counts as not passed. Interval: Wilson score, 95 %.
- **Primary**: the first attempt of each task and arm, never a retry. **Selected**: the better by level, then strict before not; ties go to the primary. **All**: every attempt ever started, each one charged.
- **Ratios**: candidate / reference, in pairs where both are strict passes and both values are known in full and above 0; others are counted as left out. Geometric mean exp(m ± t·s/√n) of the logarithms, Student's t with n − 1 degrees, 95 %. Below ${SMALL_SAMPLE} pairs it is marked (few), below 2 there is no interval. Intervals are for each quantity by itself, not adjusted for their number.
- **A claim** is made only where the interval excludes 1, or the exact McNemar p is below 0.05, and never in a rehearsal or on small fixtures.
- **Unknown** values (${UNKNOWN}) are never added as 0; "n of m known" says how many a sum has. Mean and median are over attempts that are known in full.
- **Prompt cache reuse**: cache read / (fresh input + cache read + cache write), only where all three are reported.
- **Times** overlap nowhere: queue + set-up + agent + judge; model, tools and compaction are parts of the agent's. Lifecycle is from the first write of a record to its last.`
