import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type JudgeOptions, LoadedJudge } from '../../bench/attempt/judge.ts'
import type { Task } from '../../bench/corpus/scenario.ts'
import { findPython } from '../../bench/jail/python.ts'
import { folderWith, writeFiles } from '../corpus/python.ts'
import { REFERENCE, type Toy, toyTask } from '../corpus/toy.ts'

let cache: Awaited<ReturnType<typeof folderWith>>
let toy: Toy
let python: string
let loaded: LoadedJudge
beforeAll(async () => {
  python = (await findPython()).path
  cache = await folderWith({})
  vi.stubEnv('RW30_CACHE', cache.path)
})
beforeEach(async () => {
  toy = await toyTask(cache.path)
})
afterEach(async () => {
  await loaded.dismiss()
  expect(await processes()).toEqual([])
  await toy.cleanup()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await cache.cleanup()
})

/** The judge, and bwrap, whose arguments name the folder of workspaces. */
const processes = async (): Promise<string[]> =>
  (await execa('pgrep', ['-fa', `${toy.path}|${cache.path}`], { reject: false, lines: true })).stdout

function load(more: Partial<JudgeOptions> = {}): LoadedJudge {
  const task = { dir: toy.task, scenario: { judge_command: ['python3.12', 'judge.py', '--workspace', '{workspace}'] } }
  const signal = new AbortController().signal
  loaded = new LoadedJudge({ task: task as Task, artifacts: toy.workspace, python, scale: 'small', signal, ...more })
  return loaded
}

test('judges what lies in the folder when it is told to, not when it was started', async () => {
  const judge = load()
  await writeFiles(toy.workspace, { 'solution/double.py': REFERENCE })
  const { result, candidateMs } = await judge.judge()
  expect(result.progress_level).toBe(5)
  expect(candidateMs).toBeGreaterThan(0)
})

test('ends without a verdict when nobody tells it to begin', async () => {
  const judge = load()
  await vi.waitFor(async () => expect((await processes()).join()).toContain('bwrap'), 10_000)
  await judge.dismiss()
})

test('the time that it waits is not its own', async () => {
  await writeFiles(toy.workspace, { 'solution/double.py': REFERENCE })
  const judge = load({ timeoutMs: 5000 })
  await sleep(5500)
  expect((await judge.judge()).result.progress_level).toBe(5)
})

test('makes no fixtures while an agent may be at work, only when it begins', async () => {
  const empty = await folderWith({})
  vi.stubEnv('RW30_CACHE', empty.path)
  await writeFiles(toy.workspace, { 'solution/double.py': REFERENCE })
  const fixtures = join(empty.path, 'fixtures')
  const judge = load()
  await vi.waitFor(() => expect(readdirSync(join(empty.path, 'judging'))).toHaveLength(1), 10_000)
  await sleep(1000)
  expect(existsSync(fixtures)).toBe(false)
  expect((await judge.judge()).result.progress_level).toBe(5)
  expect(readdirSync(fixtures).filter((name) => !name.endsWith('.lock'))).toHaveLength(3)
  vi.stubEnv('RW30_CACHE', cache.path)
  await empty.cleanup()
})

test.each([
  ['a judge that crashes before it is told', 'raise SystemExit("no judge today")', 'ended with 1: no judge today'],
  ['a judge that prints something else', 'print({})', 'printed something else than its contract'],
  ['a judge that does not end', 'import time; time.sleep(60)', 'still at work after 1 s'],
])('%s fails, which says nothing about the work', async (_name, source, message) => {
  await writeFiles(toy.path, { 'toy/judge.py': `${source}\n` })
  await expect(load({ timeoutMs: 1000 }).judge()).rejects.toThrow(message)
})

test('ends at its work when nobody waits for the verdict any more', async () => {
  await writeFiles(toy.workspace, { 'solution/double.py': 'import time; time.sleep(60)\n' })
  const verdict = expect(load().judge()).rejects.toThrow('ended with 3')
  await sleep(1500)
  await loaded.dismiss()
  await verdict
})

test('an abort ends it', async () => {
  await writeFiles(toy.workspace, { 'solution/double.py': 'import time; time.sleep(60)\n' })
  const abort = new AbortController()
  const verdict = load({ signal: abort.signal }).judge()
  setTimeout(() => abort.abort(new Error('stopped')), 700)
  await expect(verdict).rejects.toThrow('stopped')
})
