import { styleText } from 'node:util'
import type { AttemptRecord, Plan } from '../bench/attempt/record.ts'
import { groupBy } from './group.ts'
import { type Comparison, METRICS, type Metric, type Summary } from './schema.ts'
import { isStrict, standingAttempts } from './selection.ts'
import { amount, counted, dollars, duration, fixed, plain, rate, withInterval } from './text.ts'
import { verdictLines } from './verdict.ts'

export interface Screen {
  readonly columns: number
  readonly colours: boolean
}

type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold'
type Paint = (style: Style, text: string) => string

/** Ratios that a person reads first; the others are in SUMMARY.md. */
const SHOWN_METRICS = {
  agent_ms: 'agent time',
  cost_usd: 'cost',
  main_calls: 'calls',
  total_tokens: 'tokens',
} satisfies Partial<Record<Metric, string>>

const TASK_COLUMN = 26
/** Widths of an arm's columns; each holds its own space on the left, so that two arms fit on 80 columns. */
const CELLS = { level: 6, time: 7, cost: 8, calls: 6 } as const
const ARM_COLUMN = CELLS.level + CELLS.time + CELLS.cost + CELLS.calls

/** What one looks at when the run has ended. Ends with the path of SUMMARY.md. */
export function renderTerminal(
  summary: Summary,
  plan: Plan,
  attempts: readonly AttemptRecord[],
  summaryPath: string,
  screen: Screen,
): string {
  const paint: Paint = (style, text) => (screen.colours ? styleText(style, text, { validateStream: false }) : text)
  const rule = paint('dim', '─'.repeat(Math.max(20, screen.columns)))
  const lines = [
    rule,
    ...header(summary, plan, paint),
    '',
    ...taskRows(summary, attempts, screen, paint),
    '',
    ...totals(summary, paint),
    ...(summary.comparison ? pairLines(summary.comparison.primary, paint) : []),
    '',
    ...verdictLines(summary).flatMap((line) => wrap(plain(line, 1000), screen.columns)),
    ...summary.problems.map(({ path, problem }) => paint('yellow', plain(`${path}: ${problem}`))),
    '',
    summaryPath,
  ]
  return lines.join('\n')
}

function header(summary: Summary, plan: Plan, paint: Paint): string[] {
  const model = plain(`${plan.model.provider}/${plan.model.id}`)
  return [
    `${paint('bold', 'rw30')} ${plain(summary.run_id)}  ${paint('dim', model)}`,
    ...(summary.measurement ? [] : [paint('yellow', `NOT A MEASUREMENT: ${summary.not_measured_because.join('; ')}`)]),
  ]
}

/** One row a task that has been run, the arms side by side where they fit, else one below the other. */
function taskRows(summary: Summary, attempts: readonly AttemptRecord[], screen: Screen, paint: Paint): string[] {
  const arms = summary.primary.corpus.map(({ arm }) => arm)
  const standing = groupBy(standingAttempts(attempts), ({ task, arm }) => `${task}/${arm}`)
  const names = [...new Set(attempts.map(({ task }) => task))]
  const cells = (task: string, arm: string) => armCells(standing.get(`${task}/${arm}`) ?? [], paint)
  if (TASK_COLUMN + arms.length * ARM_COLUMN <= screen.columns) {
    const title = arms
      .map((arm) =>
        paint(
          'bold',
          plain(arm)
            .slice(0, ARM_COLUMN - 1)
            .padStart(ARM_COLUMN),
        ),
      )
      .join('')
    const units = arms.map(() => columnTitles(paint)).join('')
    return [
      `${' '.repeat(TASK_COLUMN)}${title}`,
      `${' '.repeat(TASK_COLUMN)}${units}`,
      ...names.map((task) => `${clip(task, TASK_COLUMN)}${arms.map((arm) => cells(task, arm)).join('')}`),
    ]
  }
  return [
    `${' '.repeat(TASK_COLUMN)}${columnTitles(paint)}`,
    ...names.flatMap((task) => [
      paint('bold', plain(task)),
      ...arms.map((arm) => `${clip(`  ${plain(arm)}`, TASK_COLUMN)}${cells(task, arm)}`),
    ]),
  ]
}

function columnTitles(paint: Paint): string {
  const titles = Object.entries(CELLS).map(([title, width]) => title.padStart(width))
  return paint('dim', titles.join(''))
}

function clip(text: string, width: number): string {
  return text.length < width ? text.padEnd(width) : `${text.slice(0, width - 2)}… `
}

/** The primary's figures; its level is followed by that of the retry, when there was one. */
function armCells(attempts: readonly AttemptRecord[], paint: Paint): string {
  const primary = attempts.find(({ attempt }) => attempt === 1)
  if (!primary) return paint('dim', '·'.padStart(CELLS.level).padEnd(ARM_COLUMN))
  const retry = attempts.find(({ attempt }) => attempt > 1)
  const level = mark(primary) + (retry ? `→${mark(retry)}` : '')
  const style = isStrict(primary) ? 'green' : retry && isStrict(retry) ? 'yellow' : 'red'
  return [
    paint(style, level.padStart(CELLS.level)),
    duration(primary.times.agent_ms).replaceAll(' ', '').padStart(CELLS.time),
    dollars(primary.usage.cost_usd).padStart(CELLS.cost),
    amount(primary.usage.total_calls).padStart(CELLS.calls),
  ].join('')
}

const OUTCOME_MARKS = {
  strict: '✓',
  partial: '',
  timeout: 't',
  agent_error: 'a',
  infra_error: 'i',
  interrupted: 's',
} as const

function mark({ level, outcome }: AttemptRecord): string {
  return `${level ?? '–'}${outcome === null ? '…' : OUTCOME_MARKS[outcome]}`
}

const MAX_ARM = 10

/** Sums of the primaries, an arm a line, and what all attempts cost. */
function totals(summary: Summary, paint: Paint): string[] {
  const rows = summary.primary.corpus.map((arm, index) => {
    const all = summary.all.corpus[index]!
    const cost = (value: typeof arm) => `${dollars(value.cost_usd.sum)}${fraction(value.cost_usd)}`
    return [
      plain(arm.arm).slice(0, MAX_ARM),
      rate(arm.strict),
      `${duration(arm.times.agent_ms.sum)}${fraction(arm.times.agent_ms)}`,
      cost(arm),
      String(arm.calls.total),
      `${all.attempts}, ${cost(all)}`,
    ]
  })
  const table = [['', 'strict passes', 'agent time', 'cost', 'calls', 'all attempts'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  const marks = 'level: ✓ strict, →retry, t timeout, a agent error, i infrastructure, s stopped'
  return [paint('dim', lines[0]!), ...lines.slice(1), paint('dim', marks)]
}

/** ` (2/3)` where only two of three values are in the sum. */
function fraction({ known, of }: { known: number; of: number }): string {
  return known === of ? '' : ` (${known}/${of})`
}

function pairLines({ reference, candidate, corpus }: Comparison, paint: Paint): string[] {
  const rows = METRICS.flatMap((metric) => {
    const name = SHOWN_METRICS[metric as keyof typeof SHOWN_METRICS]
    const ratio = corpus.ratios[metric]
    if (!name || ratio.pairs === 0) return []
    const few = ratio.small_sample ? paint('yellow', ` n = ${ratio.pairs}`) : ` n = ${ratio.pairs}`
    const mean = withInterval(ratio.geometric_mean, ratio.interval)
    return [
      `  ${name.padEnd(11)} ${mean.padEnd(20)} ${ratio.wins} less, ${ratio.losses} more, ${ratio.ties} equal${few}`,
    ]
  })
  const { candidate_only, reference_only, p_value } = corpus.correctness
  const [a, b] = [plain(reference), plain(candidate)]
  return [
    '',
    `${paint('bold', `${b} / ${a}`)}, ${counted(corpus.matched, 'pair')} that both passed, geometric mean [95 %]`,
    ...rows,
    `  correct     only ${b} ${candidate_only}, only ${a} ${reference_only}${p_value === null ? '' : `, p = ${fixed(p_value, 3)}`}`,
  ]
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
