import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runAttempt } from '../../bench/attempt/attempt.ts'
import { makePlan } from '../../bench/attempt/plan.ts'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { attemptDir, readRecord } from '../../bench/attempt/record-store.ts'
import { BudgetUsedUp } from '../../bench/attempt/spending.ts'
import { armsOf, resolveConfig, type UserConfig } from '../../bench/config.ts'
import { loadTask } from '../../bench/corpus/load.ts'
import { findPython } from '../../bench/jail/python.ts'
import { cacheDir, REPO, TASKS_DIR } from '../../bench/paths.ts'

const python = (await findPython()).path
const MISBEHAVE = 'test/attempt/support/misbehave.ts'
const NEVER = new AbortController().signal

let results: string
let cleanup: () => Promise<void>
beforeEach(async () => {
  const made = await dir({ unsafeCleanup: true, prefix: 'rw30-attempt-' })
  results = join(made.path, 'run')
  cleanup = made.cleanup
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await cleanup()
})

interface Wish {
  task?: string
  misbehave?: string
  faults?: string
  host?: string
  config?: UserConfig
  signal?: AbortSignal
  progress?: (text: string) => void
}

/** Runs one attempt of pi on the rehearsal model over the small fixture. */
function attempt(wish: Wish): Promise<AttemptRecord> {
  vi.stubEnv('RW30_REHEARSAL_FAULTS', wish.faults ?? '')
  const config = resolveConfig(
    {
      scale: 'small',
      arms: {
        pi: {
          host: wish.host ?? 'pi-1.6.0',
          extensions: wish.misbehave ? [MISBEHAVE] : [],
          settings: {
            env: { MISBEHAVE: wish.misbehave ?? '' },
            settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 100 } },
          },
        },
      },
      ...wish.config,
    },
    {},
  )
  const plan = makePlan(config, { runId: 'run', now: new Date(), hostVersions: {}, prices: null })
  const task = loadTask(join(TASKS_DIR, wish.task ?? '01-expense-reconciliation'))
  return runAttempt({
    task,
    arm: armsOf(config)[0]!,
    number: 1,
    config,
    plan,
    resultsDir: results,
    python,
    queuedSince: Date.now(),
    signal: wish.signal ?? NEVER,
    progress: wish.progress ?? (() => {}),
    progressEveryMs: 500,
  })
}

const folder = () => attemptDir(results, '01-expense-reconciliation', 'pi', 1)

describe('an attempt that goes well', () => {
  test.each(['pi-1.6.0', 'pi-0.73.1'])('is strict with %s, and its record is complete', async (host) => {
    const record = await attempt({ host })
    expect(record).toMatchObject({ status: 'done', outcome: 'strict', reason: 'level_5', level: 5, survivors: 0 })
    expect(record.usage.total_calls).toBeGreaterThan(2)
    expect(record.usage.known_token_calls).toBe(record.usage.total_calls)
    expect(record.agent_reported.calls).toBe(record.usage.calls.main)
    expect(record.disagreements).toEqual([])
    expect(record.warnings).toEqual([])
    expect(record.times.agent_ms).toBeGreaterThan(record.times.agent_tools_ms ?? Number.POSITIVE_INFINITY)
    expect(record.times.agent_compaction_ms).toBe(0)
    expect(record.stages).toMatchObject([{ id: 'initial', status: 'done' }])
    expect(readRecord(folder())).toEqual(record)
    for (const file of ['events.jsonl', 'model-calls.jsonl', 'transcript.md', 'judge.json', 'artifacts/solution'])
      expect(existsSync(join(folder(), file)), file).toBe(true)
    expect(readdirSync(join(cacheDir(), 'attempts')).filter((name) => name.startsWith(`${process.pid}-`))).toEqual([])
  })

  test('the same agent makes the same calls with the same tokens each time', async () => {
    const first = await attempt({})
    results = `${results}-again`
    expect((await attempt({})).usage).toEqual(first.usage)
  })

  test('no secret and no path of this machine is written', async () => {
    vi.stubEnv('SOME_API_KEY', 'sk-very-secret-value')
    await attempt({})
    for (const file of ['events.jsonl', 'model-calls.jsonl', 'transcript.md', 'record.json'])
      for (const secret of [REPO, 'sk-very-secret-value', 'rw30-'.concat('token')])
        expect(readFileSync(join(folder(), file), 'utf8')).not.toContain(secret)
  })
})

describe('an agent that misbehaves', () => {
  test.each([
    ['hang', 'timeout', 'deadline'],
    ['spin', 'timeout', 'deadline'],
    ['exit', 'agent_error', 'agent_exited'],
    ['close_output', 'agent_error', 'agent_closed_output'],
    ['long_line', 'agent_error', 'agent_output_limit'],
    ['nonsense', 'agent_error', 'agent_protocol'],
    ['fork', 'agent_error', 'process_limit'],
  ])('%s ends as %s, is judged, and nothing survives', async (misbehave, outcome, reason) => {
    const record = await attempt({ misbehave, config: { timeout_seconds: 12 } })
    expect(record).toMatchObject({ status: 'done', outcome, reason, survivors: 0, level: 0 })
    expect(record.stages[0]?.status).toBe('failed')
  })

  test('a process that it leaves behind ends with it', async () => {
    expect(await attempt({ misbehave: 'daemon' })).toMatchObject({ outcome: 'strict', survivors: 0 })
  })

  test('an extension that fails without an end of it is a warning in the record', async () => {
    const record = await attempt({ misbehave: 'fail_quietly' })
    expect(record.outcome).toBe('strict')
    expect(record.warnings).toEqual([`extension failed: late boom (${record.usage.total_calls} times)`])
  })

  test('links that it leaves are no artifacts', async () => {
    const record = await attempt({ misbehave: 'link_artifacts' })
    expect(record.left_out).toEqual(['output/link: a link, left out'])
    expect(record.outcome).toBe('strict')
  })

  test.skipIf(process.getuid?.() !== 0)('a full disk under an editable path is the machine’s fault', async () => {
    const cache = await dir({ unsafeCleanup: true, prefix: 'rw30-small-disk-' })
    const work = join(cache.path, 'attempts')
    mkdirSync(work)
    for (const name of readdirSync(cacheDir()))
      if (name !== 'attempts') symlinkSync(join(cacheDir(), name), join(cache.path, name))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', work])
    try {
      vi.stubEnv('RW30_CACHE', cache.path)
      const record = await attempt({ misbehave: 'fill_disk' })
      expect(record).toMatchObject({ outcome: 'infra_error', reason: 'disk_full', survivors: 0 })
      expect(record.detail).toMatch(/output\/ has \d+ bytes left/)
    } finally {
      execFileSync('umount', [work])
      await cache.cleanup()
    }
  })
})

test.skipIf(process.getuid?.() !== 0)('results on a disk that fills up: the last record stays whole', async () => {
  mkdirSync(results)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', results])
  try {
    const fill = () => {
      const filler = join(results, 'filler')
      if (!existsSync(filler)) spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k'])
    }
    await expect(attempt({ progress: fill })).rejects.toThrow('ENOSPC')
    expect(readRecord(folder())).toMatchObject({ status: 'running', outcome: null })
    expect(readdirSync(folder()).filter((name) => name.endsWith('.tmp'))).toEqual([])
  } finally {
    execFileSync('umount', [results])
  }
})

test('a file of the attempt that cannot be written ends it, before more is spent', async () => {
  const spoil = () => {
    rmSync(join(folder(), 'transcript.md'), { force: true, recursive: true })
    mkdirSync(join(folder(), 'transcript.md'))
  }
  const record = await attempt({ progress: spoil })
  expect(record).toMatchObject({ outcome: 'infra_error', reason: 'results_unwritable', level: null, survivors: 0 })
  expect(record.detail).toContain('EISDIR')
  expect(record.usage.total_calls).toBeLessThanOrEqual(1)
})

describe('a model that misbehaves', () => {
  test.each([['429*2@step=2'], ['500*2@step=2'], ['cut@step=2'], ['slow:20*3']])(
    '%s is survived: the agent tries again, and the failed calls are on record',
    async (faults) => {
      const record = await attempt({ faults })
      expect(record.outcome).toBe('strict')
      if (!faults.startsWith('slow')) expect(record.usage.calls.failed).toBeGreaterThan(0)
    },
  )

  test.each([['500*always'], ['429*always'], ['cut*always'], ['400*always']])(
    '%s ends as infra_error',
    async (faults) => {
      const record = await attempt({ faults })
      expect(record).toMatchObject({ outcome: 'infra_error', reason: 'model_unavailable', survivors: 0 })
      expect(record.usage.calls).toMatchObject({ main: 0, failed: record.usage.total_calls })
    },
  )

  test('silence until the deadline is the model’s, not the agent’s', async () => {
    const record = await attempt({ faults: 'silence*always', config: { timeout_seconds: 10 } })
    expect(record).toMatchObject({ outcome: 'infra_error', reason: 'model_unavailable', survivors: 0 })
    expect(record.detail).toMatch(/silent for \d+ s/)
  })

  test('an answer without usage leaves tokens and cost unknown, not zero', async () => {
    const record = await attempt({ faults: 'no_usage*always' })
    expect(record.outcome).toBe('strict')
    expect(record.usage).toMatchObject({ cost_usd: null, known_cost_calls: 0, known_token_calls: 0 })
    expect(record.usage.tokens.output).toBeNull()
  })
})

describe('an attempt that is stopped or cannot start', () => {
  test('a stop ends it at once, as interrupted, with nothing left', async () => {
    const stop = new AbortController()
    const running = attempt({
      misbehave: 'hang',
      signal: stop.signal,
      progress: (text) => /[1-9] calls/.test(text) && stop.abort(),
    })
    expect(await running).toMatchObject({ status: 'done', outcome: 'interrupted', reason: 'stopped', survivors: 0 })
  })

  test('a host that is not installed', async () => {
    const record = await attempt({ host: 'pi-9.9.9' })
    expect(record).toMatchObject({ outcome: 'infra_error', reason: 'set_up', survivors: null })
    expect(record.detail).toMatch(/no host is called "pi-9\.9\.9"/)
  })

  test('a host that ends before it has called the model', async () => {
    const record = await attempt({
      config: { arms: { pi: { settings: { env: { NODE_OPTIONS: '--require /nowhere' } } } } },
    })
    // What a broken extension of an arm does is that arm's doing: it counts against it in the pairs.
    expect(record).toMatchObject({ outcome: 'agent_error', reason: 'agent_start', level: 0, survivors: 0 })
  })

  test('a budget that is used up admits no attempt', async () => {
    const first = await attempt({})
    results = join(results)
    expect(first.usage.cost_usd).toBeGreaterThan(0)
    await expect(attempt({ config: { budget_usd: 0.0001 } })).rejects.toThrow(BudgetUsedUp)
  })
})
