import { describe, expect, test } from 'vitest'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { renderMarkdown } from '../../reporters/markdown.ts'
import { sortAttempts, summarise } from '../../reporters/summary.ts'
import { renderTerminal } from '../../reporters/terminal.ts'
import { makePlan, makeRecord } from '../support/records.ts'

const EXPENSE = '01-expense-reconciliation'
const TIMELINE = '13-incident-timeline'
const BUDGET = '29-budget-cli-repair'
const plan = makePlan({ tasks: [EXPENSE, TIMELINE, BUDGET] })

const records = [
  makeRecord({ task: EXPENSE }),
  makeRecord({ task: EXPENSE, arm: 'current', agentMs: 80_000, cost: 0.08, calls: 7 }),
  makeRecord({
    task: TIMELINE,
    pressure: 'H',
    reason: 'below_level_5',
    level: 4,
    twin: false,
    notes: ['row 17: total is 12.30, expected 12.40', '<img src=x> | \u001b[2Jgone'],
  }),
  makeRecord({ task: TIMELINE, pressure: 'H', attempt: 2, agentMs: 400_000, startedAt: '2026-09-04T11:00:00.000Z' }),
  makeRecord({ task: TIMELINE, pressure: 'H', arm: 'current', agentMs: 3_600_000, cost: 12.5, calls: 310 }),
  makeRecord({
    task: BUDGET,
    pressure: 'M',
    reason: 'deadline',
    level: 2,
    agentMs: 1_200_000,
    cost: null,
    change: {
      disagreements: ['output tokens: the agent says 1200, the gateway 1300'],
      warnings: ['extension failed: <b>no column</b> (4 times)'],
      compactions: [
        { after_stage: 'initial', origin: 'requested', phase: 'failed', duration_ms: 900, detail: 'too small' },
      ],
    },
  }),
]

function terminal(
  shown: AttemptRecord[],
  options: { plan?: typeof plan; columns?: number; colours?: boolean } = {},
): string {
  const used = options.plan ?? plan
  const sorted = sortAttempts(shown, used)
  const screen = { columns: options.columns ?? 80, colours: options.colours ?? false }
  return `${renderTerminal(summarise(sorted, used), used, sorted, 'results/run-a/SUMMARY.md', screen)}\n`
}

describe('terminal', () => {
  test('two arms side by side on 80 columns', async () => {
    await expect(terminal(records)).toMatchFileSnapshot('snapshots/terminal-80.txt')
  })

  test('says in front what failed through no fault of an arm, and what failed within an agent', () => {
    const broken = [
      makeRecord({ task: EXPENSE, reason: 'model_unavailable', level: 0 }),
      makeRecord({ task: EXPENSE, arm: 'current', change: { warnings: ['extension failed: \u001b[2Jboom', 'other'] } }),
    ]
    const lines = terminal(broken, { columns: 200 }).split('\n')
    expect(lines).toContain(
      'Infrastructure errors, which say nothing about an arm: vanilla 1 of 1 attempt; "Not passed" has the reasons.',
    )
    expect(lines).toContain('Warnings of current in 1 attempt, for example: extension failed: boom')
  })

  test('arms below each other where they do not fit', async () => {
    await expect(terminal(records, { columns: 60 })).toMatchFileSnapshot('snapshots/terminal-60.txt')
  })

  test.each([80, 60])('no line of the table is wider than %i columns', (columns) => {
    const lines = terminal(records, { columns }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.find((line) => line.includes('29-budget'))!.length).toBeLessThanOrEqual(columns)
  })

  test('ends with the path of SUMMARY.md', () => {
    expect(terminal(records).trimEnd().split('\n').at(-1)).toBe('results/run-a/SUMMARY.md')
  })

  test('a rehearsal is labelled, and colours appear only when asked for', () => {
    const rehearsal = makePlan({
      ...plan,
      model: { provider: 'rehearsal', id: 'rehearsal', rehearsal: true, reasoning: null },
    })
    expect(terminal(records, { plan: rehearsal })).toContain('NOT A MEASUREMENT: a rehearsal')
    expect(terminal(records)).not.toContain('\u001b')
    expect(terminal(records, { colours: true })).toContain('\u001b[32m')
  })

  test('an arm or run named by someone hostile cannot drive the terminal', () => {
    const arm = 'cur\u001b[2Jrent'
    const named = makePlan({
      ...plan,
      arms: [plan.arms[0]!, { ...plan.arms[1]!, name: arm }],
      comparison: { reference: 'vanilla', candidate: arm },
    })
    expect(terminal([makeRecord({ task: EXPENSE, arm })], { plan: named })).not.toContain('\u001b')
  })
})

describe('SUMMARY.md', () => {
  const render = (used = plan) => renderMarkdown(summarise(records, used), used, sortAttempts(records, used))

  test('reads like this', async () => {
    await expect(render()).toMatchFileSnapshot('snapshots/summary.md.txt')
  })

  test('a rehearsal is labelled at the top', () => {
    const rehearsal = makePlan({
      ...plan,
      model: { provider: 'rehearsal', id: 'rehearsal', rehearsal: true, reasoning: null },
    })
    expect(render(rehearsal).split('\n').slice(0, 3).join('\n')).toContain('**Not a measurement:** a rehearsal')
    expect(render()).not.toContain('Not a measurement')
  })

  test('what a judge quotes of hostile output stays text', () => {
    expect(render()).not.toContain('<img')
    expect(render()).not.toContain('\u001b')
    expect(render()).toContain('&lt;img src=x&gt; \\| gone')
  })

  test('every row of a table has as many cells as its header', () => {
    const tables = render()
      .split('\n\n')
      .filter((block) => block.startsWith('|'))
    expect(tables.length).toBeGreaterThan(5)
    for (const table of tables) {
      const widths = table
        .trim()
        .split('\n')
        .map((row) => row.split(/(?<!\\)\|/).length)
      expect(new Set(widths).size).toBe(1)
    }
  })
})
