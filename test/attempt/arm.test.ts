import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runArm } from '../../bench/attempt/arm.ts'
import { CLAIM_BEAT_MS, CLAIM_STALE_MS, claimAttempt } from '../../bench/attempt/claim.ts'
import { bootId, pidNamespace } from '../../bench/attempt/owner.ts'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { attemptDir, makeAttemptDir, readRecord, writeRecord } from '../../bench/attempt/record-store.ts'
import { makePlan, makeRecord } from '../support/records.ts'

const TASK = '01-expense-reconciliation'
const makeRecordOf = (change: Partial<AttemptRecord>) => makeRecord({ change })
const START = '2026-01-01T00:00:00.000Z'

let results: string
let cleanup: () => Promise<void>

beforeEach(async () => {
  const made = await dir({ unsafeCleanup: true, prefix: 'rw30-arm-' })
  results = made.path
  cleanup = made.cleanup
})
afterEach(() => cleanup())

/** Runs the arm with outcomes that are given in order; returns which attempts were made and what was handed over last. */
async function run(outcomes: AttemptRecord['outcome'][], retry: 0 | 1 = 1) {
  const made: number[] = []
  let handed: AttemptRecord[] = []
  const attempts = await runArm({
    plan: makePlan({ retry_failed: retry }),
    resultsDir: results,
    task: TASK,
    arm: 'vanilla',
    attempt: async (number) => {
      const record = makeRecordOf({ attempt: number, outcome: outcomes[made.length]! })
      made.push(number)
      writeRecord(makeAttemptDir(results, TASK, 'vanilla', number), record)
      return record
    },
    handOver: (records) => {
      handed = records
    },
  })
  return { made, attempts, handed }
}

const store = (change: Partial<AttemptRecord>, attempt = 1) =>
  writeRecord(makeAttemptDir(results, TASK, 'vanilla', attempt), makeRecordOf({ attempt, ...change }))

describe('the retry rule', () => {
  test('a strict primary is not retried', async () => {
    expect((await run(['strict'])).made).toEqual([1])
  })
  test.each(['partial', 'timeout', 'agent_error', 'infra_error'] as const)(
    '%s gets one retry, and no second',
    async (outcome) => {
      const { made, attempts } = await run([outcome, outcome])
      expect(made).toEqual([1, 2])
      expect(attempts.map((record) => record.attempt)).toEqual([1, 2])
    },
  )
  test('an interrupted primary gets none', async () => {
    expect((await run(['interrupted'])).made).toEqual([1])
  })
  test('retries can be switched off', async () => {
    expect((await run(['partial'], 0)).made).toEqual([1])
  })
})

describe('continuing a run', () => {
  test('what is done is not repeated', async () => {
    store({ outcome: 'strict' })
    const { made, attempts } = await run([])
    expect(made).toEqual([])
    expect(attempts[0]?.outcome).toBe('strict')
  })

  test('a done primary that failed gets the retry that is missing', async () => {
    store({ outcome: 'partial', level: 3 })
    expect((await run(['strict'])).made).toEqual([2])
  })

  test('an attempt whose process was killed is kept as interrupted, with what its calls cost, and made again', async () => {
    store({
      status: 'running',
      outcome: null,
      reason: null,
      owner: {
        pid: await deadPid(),
        boot_id: bootId(),
        pid_namespace: pidNamespace(),
        started_at: START,
      },
    })
    const call = {
      call: 1,
      stage: 'initial',
      kind: 'main',
      model: 'm',
      started_at: START,
      first_byte_ms: 1,
      duration_ms: 2,
      status: 200,
      error: null,
      request_bytes: 1,
      response_bytes: 1,
      provider_usage: null,
      tokens: { fresh_input: 10, cache_read: 0, cache_write: 0, output: 5, reasoning: null },
      cost_usd: 0.25,
    }
    const dir = attemptDir(results, TASK, 'vanilla', 1)
    writeFileSync(join(dir, 'model-calls.jsonl'), `${JSON.stringify(call)}\n{"call": 2, "sta`)
    const { made, handed } = await run(['strict'])
    expect(made).toEqual([1])
    const kept = readRecord(`${dir}-interrupted-1`)
    expect(kept).toMatchObject({ status: 'done', outcome: 'interrupted', reason: 'killed', usage: { cost_usd: 0.25 } })
    expect(handed.map((record) => record.outcome)).toEqual(['strict', 'interrupted'])
  })

  test('a stopped attempt is made again, and so is a folder without a record', async () => {
    store({ outcome: 'interrupted', reason: 'stopped' })
    expect((await run(['strict'])).made).toEqual([1])
    mkdirSync(attemptDir(results, TASK, 'other', 1), { recursive: true })
    expect(existsSync(`${attemptDir(results, TASK, 'vanilla', 1)}-interrupted-1/record.json`)).toBe(true)
  })

  test('an attempt that another process is running is left alone', async () => {
    const child = spawn('sleep', ['60'])
    try {
      store({
        status: 'running',
        outcome: null,
        reason: null,
        owner: {
          pid: child.pid!,
          boot_id: bootId(),
          pid_namespace: pidNamespace(),
          started_at: START,
        },
      })
      await expect(run(['strict'])).rejects.toThrow(`process ${child.pid} is running this attempt`)
    } finally {
      child.kill()
    }
  })

  test('two starts at the same moment: one makes the attempt, the other is told who does', async () => {
    let begun = 0
    const slow = () =>
      runArm({
        plan: makePlan({ retry_failed: 0 }),
        resultsDir: results,
        task: TASK,
        arm: 'vanilla',
        attempt: async (number) => {
          begun += 1
          await new Promise((resolve) => setTimeout(resolve, 50))
          const record = makeRecordOf({ attempt: number })
          writeRecord(makeAttemptDir(results, TASK, 'vanilla', number), record)
          return record
        },
        handOver: () => {},
      })
    const ends = await Promise.allSettled([slow(), slow()])
    expect(begun).toBe(1)
    expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(readdirSync(join(results, TASK, 'vanilla'))).toEqual(['attempt-1'])
  })

  test('a claim whose holder is dead is taken over', async () => {
    mkdirSync(join(results, TASK, 'vanilla'), { recursive: true })
    const claim = { pid: await deadPid(), boot_id: bootId(), token: 'x' }
    writeFileSync(`${attemptDir(results, TASK, 'vanilla', 1)}.claim`, JSON.stringify(claim))
    expect((await run(['strict'])).made).toEqual([1])
  })

  test('a claim of another container is its own as long as it is fresh', async () => {
    mkdirSync(join(results, TASK, 'vanilla'), { recursive: true })
    const file = `${attemptDir(results, TASK, 'vanilla', 1)}.claim`
    const owner = { pid: process.pid, boot_id: bootId(), pid_namespace: '1' }
    writeFileSync(file, JSON.stringify({ ...owner, token: 'x' }))
    store({ status: 'running', outcome: null, reason: null, owner: { ...owner, started_at: START } })
    await expect(run(['strict'])).rejects.toThrow(`process ${process.pid} of another container, which said so in the`)
    const stale = new Date(Date.now() - CLAIM_STALE_MS - 1000)
    utimesSync(file, stale, stale)
    expect((await run(['strict'])).made).toEqual([1])
    expect(existsSync(`${attemptDir(results, TASK, 'vanilla', 1)}-interrupted-1/record.json`)).toBe(true)
  })

  test('a claim is written anew while its holder works', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const giveUp = claimAttempt(results, TASK, 'vanilla', 1)
      const file = `${attemptDir(results, TASK, 'vanilla', 1)}.claim`
      utimesSync(file, 1, 1)
      vi.advanceTimersByTime(CLAIM_BEAT_MS)
      expect(statSync(file).mtimeMs).toBeGreaterThan(Date.now() - 60_000)
      giveUp()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('an unreadable record of an interrupted attempt does not fail the one that is made in its place', async () => {
    const dir = `${attemptDir(results, TASK, 'vanilla', 1)}-interrupted-1`
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'record.json'), '{"trunc')
    expect((await run(['strict'])).made).toEqual([1])
  })

  test('a process number from before a restart is nobody', async () => {
    store({
      status: 'running',
      outcome: null,
      reason: null,
      owner: {
        pid: process.ppid,
        boot_id: 'another boot',
        pid_namespace: null,
        started_at: START,
      },
    })
    expect((await run(['strict'])).made).toEqual([1])
  })

  test('a broken record stops the test with its path and loses nothing', async () => {
    const dir = makeAttemptDir(results, TASK, 'vanilla', 1)
    writeFileSync(join(dir, 'record.json'), '{"schema": "rw30.record/v1"')
    await expect(run(['strict'])).rejects.toThrow(/record\.json is no JSON .*move the folder away/s)
    expect(existsSync(join(dir, 'record.json'))).toBe(true)
  })
})

function deadPid(): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('true')
    child.on('exit', () => resolve(child.pid!))
  })
}
