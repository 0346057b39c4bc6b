import { describe, expect, test } from 'vitest'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { SummarySchema } from '../../reporters/schema.ts'
import { summarise } from '../../reporters/summary.ts'
import { makePlan, makeRecord, type Told } from '../support/records.ts'

const [FIRST, SECOND] = ['01-expense-reconciliation', '02-calendar-merge'] as const

function summaryOf(records: AttemptRecord[], plan = makePlan()) {
  return SummarySchema.parse(summarise(records, plan))
}

function pair(task: string, vanilla: Told, current: Told): AttemptRecord[] {
  return [makeRecord({ task, arm: 'vanilla', ...vanilla }), makeRecord({ task, arm: 'current', ...current })]
}

describe('an arm', () => {
  test('has sums, means and medians of what is known, and says of how many', () => {
    const { primary } = summaryOf([
      makeRecord({ task: FIRST, agentMs: 100_000, cost: 0.1 }),
      makeRecord({ task: SECOND, pressure: 'L', agentMs: null, cost: null, calls: 4 }),
    ])
    const vanilla = primary.corpus[0]!
    expect(vanilla.times.agent_ms).toEqual({ sum: 100_000, mean: 100_000, median: 100_000, known: 1, of: 2 })
    expect(vanilla.cost_usd).toEqual({ sum: 0.1, mean: 0.1, median: 0.1, known: 1, of: 2 })
    expect(vanilla.cost_calls).toEqual({ known: 10, of: 14 })
    expect(vanilla.calls).toEqual({ main: 14, compaction: 0, auxiliary: 0, failed: 0, total: 14 })
    expect(vanilla.tools).toEqual({ calls: 24, errors: 2, result_bytes: 6_000 })
    expect(vanilla.peak_input_tokens).toEqual({ max: 3_000, median: 3_000, known: 2, of: 2 })
  })

  test('that is known in no attempt has null sums, never 0', () => {
    const { primary } = summaryOf([makeRecord({ agentMs: null, cost: null })])
    expect(primary.corpus[0]!.times.agent_ms.sum).toBeNull()
    expect(primary.corpus[0]!.cost_usd).toEqual({ sum: null, mean: null, median: null, known: 0, of: 1 })
  })

  test('adds the known calls of an attempt that is known in part, but keeps it out of the mean', () => {
    const { primary } = summaryOf([
      makeRecord({ task: FIRST, cost: 0.1 }),
      makeRecord({ task: SECOND, cost: 0.3, calls: 10, knownCalls: 9 }),
    ])
    const { cost_usd, tokens, token_calls } = primary.corpus[0]!
    expect(cost_usd).toEqual({ sum: expect.closeTo(0.4, 12), mean: 0.1, median: 0.1, known: 1, of: 2 })
    expect(tokens.total).toEqual({ sum: 20_000, mean: 10_000, median: 10_000, known: 1, of: 2 })
    expect(token_calls).toEqual({ known: 19, of: 20 })
  })

  test('counts outcomes, reasons, levels and the strict rate, infrastructure errors as not passed', () => {
    const { primary } = summaryOf([
      makeRecord({ task: FIRST }),
      makeRecord({ task: SECOND, reason: 'judge_failed', level: null }),
      makeRecord({ task: '03-mailbox-cleanup', reason: 'deadline', level: 5 }),
      makeRecord({ task: '04-invoice-matching', reason: 'stopped', level: null }),
    ])
    const vanilla = primary.corpus[0]!
    expect(vanilla.strict).toMatchObject({ passed: 1, of: 3, rate: expect.closeTo(1 / 3, 12) })
    expect(vanilla.outcomes).toEqual({
      strict: 1,
      partial: 0,
      timeout: 1,
      agent_error: 0,
      infra_error: 1,
      interrupted: 1,
      running: 0,
    })
    expect(vanilla.reasons).toEqual({ level_5: 1, judge_failed: 1, deadline: 1, stopped: 1 })
    expect(vanilla.levels).toEqual({ 0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 2, unknown: 2 })
    expect(vanilla.level_mean).toBe(5)
  })

  test('has the cache reuse of the specification where all three kinds are reported', () => {
    const { primary } = summaryOf([
      makeRecord({ task: FIRST, tokens: { fresh_input: 1_000, cache_read: 6_000, cache_write: 1_000 } }),
      makeRecord({ task: SECOND, tokens: { fresh_input: 500, cache_read: 9_000, cache_write: null } }),
    ])
    expect(primary.corpus[0]!.cache_reuse).toEqual({ ratio: 0.75, reason: null, known: 1, of: 2 })
  })

  test('has no cache reuse, and the reason, where writes are never reported', () => {
    const { primary } = summaryOf([makeRecord({ tokens: { cache_write: null } })])
    expect(primary.corpus[0]!.cache_reuse).toEqual({
      ratio: null,
      reason: 'the provider does not report cache_write, so the formula does not apply',
      known: 0,
      of: 1,
    })
    expect(primary.corpus[0]!.tokens.total.sum).toBeNull()
  })

  test('counts compactions by how they ended', () => {
    const compaction = (
      phase: 'completed' | 'failed' | 'unsupported' | 'requested',
      origin = 'requested' as const,
    ) => ({
      after_stage: 'initial',
      origin,
      phase,
      duration_ms: null,
      detail: null,
    })
    const { primary } = summaryOf([
      makeRecord({
        change: {
          compactions: [
            compaction('completed'),
            compaction('failed'),
            compaction('unsupported'),
            compaction('requested'),
            { ...compaction('completed'), origin: 'natural' },
          ],
        },
      }),
    ])
    expect(primary.corpus[0]!.compactions).toEqual({
      requested: 4,
      completed: 1,
      failed: 1,
      unsupported: 1,
      unanswered: 1,
      natural: 1,
    })
  })
})

describe('views', () => {
  const failed = makeRecord({ reason: 'below_level_5', level: 3, cost: 0.2 })
  const retry = makeRecord({ attempt: 2, cost: 0.5, startedAt: '2026-09-04T11:00:00.000Z' })

  test('the primary aggregate never contains a retry; all contain both, each charged', () => {
    const { primary, selected, all } = summaryOf([failed, retry])
    expect(primary.corpus[0]).toMatchObject({ attempts: 1, strict: { passed: 0 }, cost_usd: { sum: 0.2 } })
    expect(selected.corpus[0]).toMatchObject({ attempts: 1, strict: { passed: 1 }, cost_usd: { sum: 0.5 } })
    expect(all.corpus[0]).toMatchObject({ attempts: 2, strict: { passed: 1, of: 2 }, cost_usd: { sum: 0.7 } })
  })

  test.each([
    {
      what: 'higher level',
      primary: { reason: 'below_level_5', level: 2 },
      retry: { reason: 'deadline', level: 4 },
      is: 2,
    },
    { what: 'strict before a late level 5', primary: { reason: 'deadline', level: 5 }, retry: {}, is: 2 },
    { what: 'the primary when equal', primary: { cost: 9, agentMs: 9e6 }, retry: { cost: 0.01, agentMs: 1 }, is: 1 },
    {
      what: 'a judged attempt before an unjudged',
      primary: { reason: 'set_up', level: null },
      retry: { reason: 'below_level_5', level: 0 },
      is: 2,
    },
    {
      what: 'the primary when the retry is worse',
      primary: { reason: 'below_level_5', level: 3 },
      retry: { reason: 'below_level_5', level: 1 },
      is: 1,
    },
  ] satisfies { what: string; primary: Told; retry: Told; is: number }[])(
    'selected: $what',
    ({ primary, retry: second, is }) => {
      const other = makeRecord({ arm: 'current' })
      const { comparison } = summaryOf([makeRecord(primary), makeRecord({ attempt: 2, ...second }), other])
      expect(comparison!.selected.pairs[0]!.reference!.attempt).toBe(is)
      expect(comparison!.primary.pairs[0]!.reference!.attempt).toBe(1)
    },
  )

  test('a finished attempt stands against an interrupted one of later date: clocks are set back', () => {
    const interrupted = makeRecord({ reason: 'killed', level: null, startedAt: '2026-09-05T09:00:00.000Z' })
    const { primary, complete } = summaryOf([makeRecord({}), interrupted])
    expect(primary.corpus[0]).toMatchObject({ attempts: 1, outcomes: { strict: 1, interrupted: 0 } })
    expect(complete).toBe(summaryOf([makeRecord({})]).complete)
  })

  test('an interrupted attempt gives way to the one that a continued run made, and is still charged', () => {
    const interrupted = makeRecord({ reason: 'killed', level: null, cost: 0.05, startedAt: '2026-09-04T09:00:00.000Z' })
    const { primary, all } = summaryOf([makeRecord({ cost: 0.1 }), interrupted])
    expect(primary.corpus[0]).toMatchObject({ attempts: 1, outcomes: { strict: 1, interrupted: 0 } })
    expect(all.corpus[0]).toMatchObject({ attempts: 2, outcomes: { strict: 1, interrupted: 1 } })
    expect(all.corpus[0]!.cost_usd.sum).toBeCloseTo(0.15, 12)
  })

  test('classes and tasks split the corpus', () => {
    const { primary } = summaryOf([
      makeRecord({ task: FIRST, pressure: 'N', agentMs: 1_000 }),
      makeRecord({ task: SECOND, pressure: 'L', agentMs: 2_000 }),
      makeRecord({ task: '13-incident-timeline', pressure: 'H', agentMs: 4_000 }),
      makeRecord({ task: '14-config-upgrade', pressure: 'N', agentMs: 8_000 }),
    ])
    expect(primary.classes.map(({ pressure, arms }) => [pressure, arms[0]!.times.agent_ms.sum])).toEqual([
      ['N', 9_000],
      ['L', 2_000],
      ['H', 4_000],
    ])
    expect(primary.tasks.map(({ task }) => task)).toEqual([FIRST, SECOND, '13-incident-timeline', '14-config-upgrade'])
  })
})

describe('pairs', () => {
  test('ratios are candidate / reference, of strict pairs only', () => {
    const { comparison } = summaryOf([
      ...pair(FIRST, { agentMs: 100_000, cost: 0.1 }, { agentMs: 50_000, cost: 0.2 }),
      ...pair(SECOND, { agentMs: 10, cost: 0.1 }, { agentMs: 1_000, cost: 0.001, reason: 'below_level_5' }),
    ])
    const { pairs, corpus } = comparison!.primary
    expect(pairs[0]).toMatchObject({ matched: true, ratios: { agent_ms: 0.5, cost_usd: 2, total_tokens: 1 } })
    expect(pairs[1]).toMatchObject({ matched: false, ratios: { agent_ms: null, cost_usd: null } })
    expect(corpus.matched).toBe(1)
    expect(corpus.ratios.agent_ms).toEqual({
      pairs: 1,
      geometric_mean: 0.5,
      interval: null,
      left_out: { unknown: 0, zero: 0 },
      wins: 1,
      losses: 0,
      ties: 0,
      small_sample: true,
      claim: null,
    })
    expect(corpus.ratios.total_tokens).toMatchObject({ wins: 0, losses: 0, ties: 1 })
  })

  test('a pair with an unknown or partly known value is left out of that ratio alone, and counted', () => {
    const { comparison } = summaryOf([
      ...pair(FIRST, { cost: null }, {}),
      ...pair(SECOND, { tokens: { reasoning: 0 } }, { knownCalls: 9 }),
      ...pair('03-mailbox-cleanup', { tokens: { reasoning: 0 } }, {}),
    ])
    const { ratios } = comparison!.primary.corpus
    expect(ratios.cost_usd).toMatchObject({ pairs: 1, left_out: { unknown: 2, zero: 0 } })
    expect(ratios.output).toMatchObject({ pairs: 2, left_out: { unknown: 1, zero: 0 } })
    expect(ratios.reasoning).toMatchObject({ pairs: 1, left_out: { unknown: 1, zero: 1 } })
    expect(ratios.agent_ms).toMatchObject({ pairs: 3, left_out: { unknown: 0, zero: 0 } })
  })

  test('correctness counts discordant pairs and leaves out what says nothing about an agent', () => {
    const miss: Told = { reason: 'below_level_5' }
    const { comparison } = summaryOf([
      ...pair(FIRST, miss, {}),
      ...pair(SECOND, miss, {}),
      ...pair('03-mailbox-cleanup', {}, miss),
      ...pair('04-invoice-matching', miss, miss),
      ...pair('05-inventory-reorder', {}, {}),
      ...pair('06-volunteer-shifts', {}, { reason: 'judge_failed', level: null }),
      makeRecord({ task: '07-utility-anomalies' }),
    ])
    expect(comparison!.primary.corpus.correctness).toEqual({
      both: 1,
      candidate_only: 2,
      reference_only: 1,
      neither: 1,
      left_out: 2,
      p_value: 1,
      claim: null,
    })
  })

  test('a claim is made only when the interval excludes 1', () => {
    const tasks = [FIRST, SECOND, '03-mailbox-cleanup', '04-invoice-matching']
    const times = [50_000, 52_000, 48_000, 50_000]
    const costs = [0.05, 0.2, 0.1, 0.11]
    const records = tasks.flatMap((task, index) => pair(task, {}, { agentMs: times[index]!, cost: costs[index]! }))
    const { ratios } = summaryOf(records).comparison!.primary.corpus
    expect(ratios.agent_ms.claim).toBe(
      'current is 50 % faster than vanilla in agent time (ratio 0.50, 95 % interval 0.47 to 0.53, 4 pairs that both passed).',
    )
    expect(ratios.cost_usd.interval![0]).toBeLessThan(1)
    expect(ratios.cost_usd.interval![1]).toBeGreaterThan(1)
    expect(ratios.cost_usd.claim).toBeNull()
  })

  test('a rehearsal claims nothing and says that it is none', () => {
    const records = [FIRST, SECOND, '03-mailbox-cleanup'].flatMap((task) => pair(task, {}, { agentMs: 50_000 }))
    const rehearsed = records.map((record) => ({ ...record, rehearsal: true }))
    const plan = makePlan({ model: { provider: 'rehearsal', id: 'rehearsal', rehearsal: true, reasoning: null } })
    const summary = summaryOf(rehearsed, plan)
    expect(summary.measurement).toBe(false)
    expect(summary.not_measured_because).toEqual(['a rehearsal: the scripted model answered, no agent was measured'])
    expect(summary.comparison!.primary.corpus.ratios.agent_ms.geometric_mean).toBeCloseTo(0.5, 12)
    expect(summary.comparison!.primary.corpus.ratios.agent_ms.claim).toBeNull()
    expect(summaryOf(records).comparison!.primary.corpus.ratios.agent_ms.claim).not.toBeNull()
  })

  test('small fixtures are no measurement either', () => {
    expect(summaryOf([makeRecord()], makePlan({ scale: 'small' })).measurement).toBe(false)
  })

  test('one arm is compared with nothing', () => {
    const plan = makePlan({ arms: [makePlan().arms[0]!], comparison: { reference: 'vanilla', candidate: 'vanilla' } })
    expect(summaryOf([makeRecord()], plan).comparison).toBeNull()
  })
})

describe('a run', () => {
  test('is complete when each planned task and arm has a finished primary', () => {
    const done = [...pair(FIRST, {}, {}), ...pair(SECOND, {}, { reason: 'deadline' })]
    expect(summaryOf(done)).toMatchObject({ complete: true, missing: [] })
    expect(summaryOf(done.slice(1))).toMatchObject({ complete: false, missing: [{ task: FIRST, arm: 'vanilla' }] })
    const running = [makeRecord({ reason: null, level: null }), ...done.slice(1)]
    expect(summaryOf(running)).toMatchObject({ complete: false, missing: [{ task: FIRST, arm: 'vanilla' }] })
    expect(summarise(done, makePlan(), [{ path: 'x', problem: 'y' }]).complete).toBe(false)
  })

  test('gives the same summary whatever the order of its records', () => {
    const records = [
      ...pair(SECOND, {}, { agentMs: 3 }),
      ...pair(FIRST, { attempt: 2 }, {}),
      makeRecord({ level: 2, reason: 'deadline' }),
    ]
    expect(summaryOf([...records].reverse())).toEqual(summaryOf(records))
  })
})
