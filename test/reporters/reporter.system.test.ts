import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { dir as temporaryDir } from 'tmp-promise'
import { expect, onTestFinished, test } from 'vitest'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { attemptPath } from '../../reporters/collect.ts'
import { ResultsSchema, SummarySchema } from '../../reporters/schema.ts'
import { makePlan, makeRecord } from '../support/records.ts'

const REPO = fileURLToPath(new URL('../..', import.meta.url))
const REPORTER = join(REPO, 'reporters/reporter.ts')
const OUTPUTS = ['results.json', 'summary.json', 'SUMMARY.md']

const TASKS = ['01-expense-reconciliation', '02-calendar-merge', '13-incident-timeline']
const plan = makePlan({ tasks: TASKS })

/** Attempts of the arms on a task; the reference fails the second task and is tried again. */
function attemptsOf(task: string, arm: string): AttemptRecord[] {
  const seed = TASKS.indexOf(task) + (arm === 'current' ? 0.5 : 1)
  const retried = task === TASKS[1] && arm === 'vanilla'
  const primary = makeRecord({
    task,
    arm,
    agentMs: 60_000 * seed,
    cost: 0.1 * seed,
    ...(retried && { reason: 'below_level_5', level: 3, notes: ['row 3 differs'] }),
  })
  return retried ? [primary, makeRecord({ task, arm, attempt: 2, startedAt: '2026-09-04T11:00:00.000Z' })] : [primary]
}

/** A vitest project whose tests hand over attempts without running any. */
async function makeProject(): Promise<string> {
  const { path: root, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  symlinkSync(join(REPO, 'node_modules'), join(root, 'node_modules'))
  writeFileSync(
    join(root, 'vitest.config.mjs'),
    `import { gracefulInterrupt } from ${JSON.stringify(join(REPO, 'bench/vitest/interrupt.ts'))}
export default { plugins: [gracefulInterrupt()], test: { include: ['*.test.ts'] } }\n`,
  )
  for (const task of TASKS) {
    const arms = ['vanilla', 'current'].map((arm) => ({ arm, attempts: attemptsOf(task, arm) }))
    writeFileSync(
      join(root, `${task}.test.ts`),
      `import { recordArtifact, test } from 'vitest'
const resultsDir = process.env.RESULTS_DIR
for (const { arm, attempts } of ${JSON.stringify(arms)})
  test('${task} ' + arm, async ({ task, annotate }) => {
    await annotate('stage 1/1 initial · 1 s', 'rw30-progress')
    await recordArtifact(task, { type: 'rw30-progress', message: 'stage 2/2 late · 2 s' })
    task.meta.rw30 = { plan: { ...${JSON.stringify(plan)}, run_id: process.env.RUN_ID ?? '${plan.run_id}' }, resultsDir, task: '${task}', arm, attempts }
  })\n`,
    )
  }
  return root
}

function start(root: string, resultsDir: string, ...args: string[]) {
  return startAs(undefined, root, resultsDir, ...args)
}

function startAs(runId: string | undefined, root: string, resultsDir: string, ...args: string[]) {
  return execa(process.execPath, [join(REPO, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root, ...args], {
    env: { RESULTS_DIR: resultsDir, RUN_ID: runId, NO_COLOR: '1', CI: '', VITEST: undefined, VITEST_MODE: undefined },
    reject: false,
    all: true,
  })
}

function outputsOf(resultsDir: string): Record<string, string> {
  return Object.fromEntries(OUTPUTS.map((name) => [name, readFileSync(join(resultsDir, name), 'utf8')]))
}

function readSummary(resultsDir: string) {
  return SummarySchema.parse(JSON.parse(readFileSync(join(resultsDir, 'summary.json'), 'utf8')))
}

function store(resultsDir: string, record: AttemptRecord): void {
  const file = join(resultsDir, attemptPath(record), 'record.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(record))
}

test('two shards, merged, give the same files as one run', async () => {
  const root = await makeProject()
  const [whole, merged] = [join(root, 'whole'), join(root, 'merged')]
  await start(root, whole, `--reporter=${REPORTER}`)
  for (const shard of [1, 2]) {
    const blob = `--outputFile.blob=${join(root, 'blobs', `${shard}.json`)}`
    await start(root, merged, '--reporter=blob', blob, `--shard=${shard}/2`)
  }
  expect(existsSync(merged)).toBe(false)
  const { all } = await start(root, merged, `--merge-reports=${join(root, 'blobs')}`, `--reporter=${REPORTER}`)

  expect(outputsOf(merged)).toEqual(outputsOf(whole))
  const results = ResultsSchema.parse(JSON.parse(readFileSync(join(merged, 'results.json'), 'utf8')))
  expect(results.attempts.map(attemptPath)).toEqual([
    '01-expense-reconciliation/vanilla/attempt-1',
    '01-expense-reconciliation/current/attempt-1',
    '02-calendar-merge/vanilla/attempt-1',
    '02-calendar-merge/vanilla/attempt-2',
    '02-calendar-merge/current/attempt-1',
    '13-incident-timeline/vanilla/attempt-1',
    '13-incident-timeline/current/attempt-1',
  ])
  expect(readSummary(merged)).toMatchObject({ complete: true, primary: { corpus: [{ attempts: 3 }, { attempts: 3 }] } })
  expect(all, 'progress is not replayed').not.toContain('stage 1/1')
  expect(all!.trimEnd().split('\n').at(-1)).toBe(join(merged, 'SUMMARY.md'))
})

test('shards that were given no common run id are said to be several runs', async () => {
  const root = await makeProject()
  for (const shard of [1, 2]) {
    const blob = `--outputFile.blob=${join(root, 'blobs', `${shard}.json`)}`
    await startAs(`run-${shard}`, root, join(root, `run-${shard}`), '--reporter=blob', blob, `--shard=${shard}/2`)
  }
  const { all } = await start(root, root, `--merge-reports=${join(root, 'blobs')}`, `--reporter=${REPORTER}`)
  expect(all).toMatch(/rw30: these are 2 runs \(run-\d, run-\d\), each summarised by itself/)
})

test('a run that is continued keeps the records on disk, and lists a broken one', async () => {
  const root = await makeProject()
  const resultsDir = join(root, 'results')
  for (const arm of ['vanilla', 'current']) for (const record of attemptsOf(TASKS[0]!, arm)) store(resultsDir, record)
  const running = { ...attemptsOf(TASKS[2]!, 'current')[0]!, status: 'running' as const, outcome: null, reason: null }
  store(resultsDir, running)
  mkdirSync(join(resultsDir, TASKS[1]!, 'current', 'attempt-1'), { recursive: true })
  writeFileSync(join(resultsDir, TASKS[1]!, 'current', 'attempt-1', 'record.json'), '{"half')
  await start(root, resultsDir, `--reporter=${REPORTER}`, '-t', TASKS[2]!)

  const summary = readSummary(resultsDir)
  expect(summary.all.corpus.map(({ arm, attempts, outcomes }) => [arm, attempts, outcomes.running])).toEqual([
    ['vanilla', 2, 0],
    ['current', 2, 0],
  ])
  expect(summary.problems).toEqual([
    { path: '02-calendar-merge/current/attempt-1/record.json', problem: expect.stringContaining('is not JSON') },
  ])
  expect(summary.missing).toEqual([
    { task: '02-calendar-merge', arm: 'vanilla' },
    { task: '02-calendar-merge', arm: 'current' },
  ])
})

test('progress is printed once, beside the default reporter, and the summary comes last', async () => {
  const root = await makeProject()
  const { all } = await start(root, join(root, 'results'), '--reporter=default', `--reporter=${REPORTER}`)
  const lines = all!.split('\n').filter((line) => line.includes('02-calendar-merge vanilla: stage'))
  expect(lines).toEqual([
    '02-calendar-merge vanilla: stage 1/1 initial · 1 s',
    '02-calendar-merge vanilla: stage 2/2 late · 2 s',
  ])
  expect(all!.trimEnd().split('\n').at(-1)).toBe(join(root, 'results', 'SUMMARY.md'))
})

test('tests that hand nothing over leave it silent', async () => {
  const root = await makeProject()
  writeFileSync(join(root, 'plain.test.ts'), `import { test } from 'vitest'\ntest('plain', () => {})\n`)
  const { all, exitCode } = await start(root, join(root, 'results'), `--reporter=${REPORTER}`, '-t', 'plain')
  expect({ all, exitCode }).toEqual({ all: '', exitCode: 0 })
  expect(existsSync(join(root, 'results'))).toBe(false)
})

test('Ctrl-C leaves the summary of what was done and what was stopped', async () => {
  const root = await makeProject()
  const resultsDir = join(root, 'results')
  const done = attemptsOf(TASKS[0]!, 'vanilla')
  const stopped = [makeRecord({ task: TASKS[0]!, arm: 'current', reason: 'stopped', level: null })]
  writeFileSync(
    join(root, 'long.test.ts'),
    `import { test } from 'vitest'
process.on('SIGINT', () => {})
const handOver = { plan: ${JSON.stringify(plan)}, resultsDir: process.env.RESULTS_DIR, task: '${TASKS[0]}' }
test('first', ({ task }) => {
  task.meta.rw30 = { ...handOver, arm: 'vanilla', attempts: ${JSON.stringify(done)} }
})
test('second', { timeout: 60_000 }, async ({ task, signal, annotate, onTestFinished }) => {
  onTestFinished(() => {
    task.meta.rw30 = { ...handOver, arm: 'current', attempts: ${JSON.stringify(stopped)} }
  })
  await annotate('stage 1/1 begun', 'rw30-progress')
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
})\n`,
  )
  const run = start(root, resultsDir, `--reporter=${REPORTER}`, 'long.test.ts')
  for await (const line of run.iterable({ from: 'all' })) if (line.includes('stage 1/1 begun')) run.kill('SIGINT')
  await run
  expect(readSummary(resultsDir)).toMatchObject({
    complete: false,
    all: {
      corpus: [
        { arm: 'vanilla', outcomes: { strict: 1 } },
        { arm: 'current', outcomes: { interrupted: 1 } },
      ],
    },
  })
})
