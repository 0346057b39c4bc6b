import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { taskNames } from '../../bench/corpus/load.ts'
import { alive, descendants, until } from '../support/processes.ts'
import { recordOf, run, startRun } from './run.ts'

const ONE = '01-expense-reconciliation'
const TWO = '02-calendar-merge'
const RW30 = ['run', '--project', 'rw30']
/** The second turn of each stage takes minutes: time enough to interrupt. */
const SLOW = { RW30_REHEARSAL_FAULTS: 'slow:60000*always@step=2' }

let results: string
let cleanup: () => Promise<void>
beforeEach(async () => {
  const made = await dir({ unsafeCleanup: true, prefix: 'rw30-run-' })
  results = made.path
  cleanup = made.cleanup
})
afterEach(() => cleanup())

const atWork = (task: string, runId: string) => () =>
  ['vanilla', 'current'].every((arm) => recordOf(results, runId, task, arm)?.stages[0]?.status === 'running')

describe('a run that is killed', () => {
  test('leaves no process, loses no record, and is finished by the next run of its id', async () => {
    const env = { RW30_RUN_ID: 'killed' }
    await run(results, [...RW30, '-t', '01-'], env)
    const before = recordOf(results, 'killed', ONE, 'vanilla')
    expect(before?.outcome).toBe('strict')

    const killed = startRun(results, [...RW30, '-t', '02-'], { ...env, ...SLOW })
    await until('both arms at work', 60, atWork(TWO, 'killed'))
    const processes = descendants(killed.child.pid!)
    expect(processes.length).toBeGreaterThan(6)
    killed.child.kill('SIGKILL')
    await killed.exited
    await until('the end of every process', 10, () => !processes.some(alive))
    expect(recordOf(results, 'killed', TWO, 'vanilla')).toMatchObject({ status: 'running', outcome: null })

    await run(results, [...RW30, '-t', '0[12]-'], env)
    expect(recordOf(results, 'killed', ONE, 'vanilla')).toEqual(before)
    for (const arm of ['vanilla', 'current']) {
      expect(recordOf(results, 'killed', TWO, arm)).toMatchObject({ status: 'done', outcome: 'strict' })
      const kept = join(results, 'killed', TWO, arm, 'attempt-1-interrupted-1', 'record.json')
      expect(JSON.parse(readFileSync(kept, 'utf8'))).toMatchObject({ outcome: 'interrupted', reason: 'killed' })
    }
  })
})

describe('a run that is stopped', () => {
  test.each([
    ['SIGINT', 130, 'group'],
    ['SIGINT', 130, 'process'],
    ['SIGTERM', 143, 'process'],
  ] as const)('%s: exit code %i, everything gone, a partial summary (%s)', async (signal, code, target) => {
    const stopped = startRun(results, [...RW30, '-t', '02-'], { RW30_RUN_ID: 'stopped', ...SLOW })
    await until('both arms at work', 60, atWork(TWO, 'stopped'))
    const processes = descendants(stopped.child.pid!)
    process.kill(target === 'group' ? -stopped.child.pid! : stopped.child.pid!, signal)
    const end = await stopped.exited
    expect(end.code).toBe(code)
    expect(processes.filter(alive)).toEqual([])
    for (const arm of ['vanilla', 'current'])
      expect(recordOf(results, 'stopped', TWO, arm)).toMatchObject({
        outcome: 'interrupted',
        reason: 'stopped',
        survivors: 0,
      })
    const summary = readFileSync(join(results, 'stopped', 'SUMMARY.md'), 'utf8')
    expect(summary).toContain(TWO)
  })
})

describe('what vitest users know', () => {
  test('a name that no task has fails the run', async () => {
    expect(await run(results, [...RW30, 'tasks/01', '-t', 'nonsense'], {}, 1)).toContain('has a name like -t')
  })

  test('list names a test for each task and arm, and starts nothing', async () => {
    const output = await run(results, ['list', '--project', 'rw30'])
    for (const task of taskNames()) for (const arm of ['vanilla', 'current']) expect(output).toContain(`${task} ${arm}`)
    expect(existsSync(join(results, 'plan.json'))).toBe(false)
  })

  test('every task is strict in both arms under the rehearsal model', { timeout: 900_000 }, async () => {
    await run(results, RW30, { RW30_RUN_ID: 'all' })
    for (const task of taskNames())
      for (const arm of ['vanilla', 'current'])
        expect(recordOf(results, 'all', task, arm), `${task} ${arm}`).toMatchObject({ outcome: 'strict' })
  })

  test('two shards, merged, say what one run says; JUnit carries level, tokens and cost', async () => {
    const env = { RW30_RUN_ID: 'same' }
    const some = [...RW30, '-t', '(0[126]|13)-']
    const [whole, shards] = [join(results, 'whole'), join(results, 'shards')]
    const junit = join(results, 'junit.xml')
    await run(whole, [...some, '--reporter=default', '--reporter=junit', `--outputFile.junit=${junit}`], env)
    for (const shard of [1, 2])
      await run(
        shards,
        [
          ...some,
          `--shard=${shard}/2`,
          '--reporter=blob',
          `--outputFile.blob=${join(results, 'blobs', `${shard}.json`)}`,
        ],
        env,
      )
    await run(shards, ['--merge-reports', join(results, 'blobs'), '--project', 'rw30', '--reporter=default'], env)

    for (const file of ['summary.json', 'results.json']) {
      const read = (folder: string) => timeless(JSON.parse(readFileSync(join(folder, 'same', file), 'utf8')))
      expect(read(shards), file).toEqual(read(whole))
    }
    const xml = readFileSync(junit, 'utf8')
    for (const part of ['rw30-level', 'rw30-tokens', 'rw30-cost', '13-incident-timeline current'])
      expect(xml).toContain(part)

    for (const arm of ['vanilla', 'current']) {
      const record = recordOf(whole, 'same', '13-incident-timeline', arm)
      expect(record?.stages.map((stage) => stage.status)).toEqual(['done', 'done', 'done', 'done'])
      expect(record?.compactions).toMatchObject([
        { after_stage: 'initial', origin: 'requested', phase: 'completed' },
        { after_stage: 'clock-offsets', origin: 'requested', phase: 'completed' },
      ])
    }
  })
})

/** Without what no two runs share: times, dates, process numbers, and ratios and intervals of times. */
function timeless(value: unknown, key = ''): unknown {
  if (/(_ms|_at|^owner|time|_path|created)/.test(key)) return undefined
  if (Array.isArray(value)) return value.map((item) => timeless(item))
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, timeless(item, name)]))
  return typeof value === 'string' ? value.replaceAll(/\d+(?:\.\d+)? (?:s|ms|min)\b/g, 'TIME') : value
}
