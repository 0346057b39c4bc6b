import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { UNKNOWN_TOKENS, type Usage } from '../gateway/call.ts'
import { readModelCalls } from '../gateway/calls-file.ts'
import { usageOf } from '../gateway/usage.ts'
import { toJson, writeFileAtomically } from './files.ts'
import { ownerLives } from './owner.ts'
import { type AttemptRecord, RecordSchema } from './record.ts'

/** Files of an attempt's folder (design: "On disk"). */
export const ATTEMPT_FILES = {
  record: 'record.json',
  events: 'events.jsonl',
  calls: 'model-calls.jsonl',
  transcript: 'transcript.md',
  stderr: 'stderr.log',
  services: 'services.log',
  judge: 'judge.json',
  artifacts: 'artifacts',
} as const

export const armDir = (resultsDir: string, task: string, arm: string): string => join(resultsDir, task, arm)
export const attemptDir = (resultsDir: string, task: string, arm: string, attempt: number): string =>
  join(armDir(resultsDir, task, arm), `attempt-${attempt}`)

/** Writes the record by temp file and rename; what is written is always valid. */
export function writeRecord(dir: string, record: AttemptRecord): void {
  writeFileAtomically(join(dir, ATTEMPT_FILES.record), toJson(RecordSchema.parse(record)))
}

/** Reads a record; null when there is none. Throws with the path and every problem when it is not valid. */
export function readRecord(dir: string): AttemptRecord | null {
  const file = join(dir, ATTEMPT_FILES.record)
  if (!existsSync(file)) return null
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is no JSON (${error}); move the folder away to run this attempt again`)
  }
  const parsed = RecordSchema.safeParse(json)
  if (!parsed.success)
    throw new Error(
      `${file} is no valid record; move the folder away to run this attempt again:\n${z.prettifyError(parsed.error)}`,
    )
  return parsed.data
}

/**
 * Looks at what an earlier process left of an attempt. A finished one is returned and not run again. One that was killed
 * or stopped is completed as `interrupted` from what is on disk, moved aside (kept and charged), and null is returned.
 * Throws when its owner is seen at work; one that nobody here can see is gone, or it would hold the attempt's claim, which the
 * caller has.
 */
export function settleEarlier(resultsDir: string, task: string, arm: string, attempt: number): AttemptRecord | null {
  const dir = attemptDir(resultsDir, task, arm, attempt)
  const record = readRecord(dir)
  if (!record) {
    if (existsSync(dir)) moveAside(dir)
    return null
  }
  if (record.status === 'done' && record.outcome !== 'interrupted') return record
  if (record.status === 'running') {
    if (ownerLives(record.owner) && record.owner.pid !== process.pid)
      throw new Error(
        `${dir}: process ${record.owner.pid} is running this attempt; wait for it, or choose another run id (RW30_RUN_ID)`,
      )
    writeRecord(dir, {
      ...record,
      status: 'done',
      outcome: 'interrupted',
      reason: 'killed',
      detail: `its process ${record.owner.pid} ended without a word`,
      usage: usageOfKilled(dir),
    })
  }
  moveAside(dir)
  return null
}

/** What is on record of a killed attempt's calls. Without any, one may have been under way: unknown, not nothing. */
function usageOfKilled(dir: string): Usage {
  const usage = usageOf(readModelCalls(join(dir, ATTEMPT_FILES.calls)).calls)
  return usage.total_calls > 0 ? usage : { ...usage, tokens: UNKNOWN_TOKENS, cost_usd: null }
}

/** `attempt-1` becomes `attempt-1-interrupted-1`, or the next free number. */
function moveAside(dir: string): void {
  let number = 1
  while (existsSync(`${dir}-interrupted-${number}`)) number += 1
  renameSync(dir, `${dir}-interrupted-${number}`)
}

/**
 * Records of an arm's interrupted attempts, which are no primary and no retry but were paid for. One that cannot be read is left
 * out: the summary names it, and the attempt that was made in its place stands.
 */
export function interruptedRecords(resultsDir: string, task: string, arm: string): AttemptRecord[] {
  const dir = armDir(resultsDir, task, arm)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => /-interrupted-\d+$/.test(name))
    .sort()
    .flatMap((name) => {
      try {
        return readRecord(join(dir, name)) ?? []
      } catch {
        return []
      }
    })
}

export function makeAttemptDir(resultsDir: string, task: string, arm: string, attempt: number): string {
  const dir = attemptDir(resultsDir, task, arm, attempt)
  mkdirSync(dir, { recursive: true })
  return dir
}
