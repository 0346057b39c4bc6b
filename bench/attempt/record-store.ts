import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { readModelCalls } from '../gateway/calls-file.ts'
import { usageOf } from '../gateway/usage.ts'
import { toJson, writeFileAtomically } from './files.ts'
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

/** What a claim says of who holds it. */
const ClaimSchema = z.object({ pid: z.int(), boot_id: z.string().nullable(), token: z.string() })

/**
 * Claims an attempt for this process, so that two runs of one id never both make it. Returns the function that gives it up; throws when
 * another living process holds it. A claim that its holder did not survive is taken over.
 */
export function claimAttempt(resultsDir: string, task: string, arm: string, attempt: number): () => void {
  const file = `${attemptDir(resultsDir, task, arm, attempt)}.claim`
  const token = randomBytes(8).toString('hex')
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${token}`
  writeFileSync(draft, toJson({ pid: process.pid, boot_id: bootId(), token }))
  try {
    for (let tries = 0; ; tries++) {
      try {
        linkSync(draft, file)
        break
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > CLAIM_TRIES) throw error
        takeOverIfDead(file, token)
      }
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (holderOf(file)?.token === token) rmSync(file, { force: true })
  }
}

const CLAIM_TRIES = 5

/** Moves a dead holder's claim away by rename, which only one process can do; a living one's, moved by mischance, is put back. */
function takeOverIfDead(file: string, token: string): void {
  const refuse = (pid: number) => {
    throw new Error(
      `${file}: process ${pid} is running this attempt; wait for it, or choose another run id (RW30_RUN_ID)`,
    )
  }
  const holder = holderOf(file)
  if (holder && ownerLives(holder)) refuse(holder.pid)
  const moved = `${file}.${token}.stale`
  try {
    renameSync(file, moved)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const now = holderOf(moved)
  if (now && ownerLives(now)) {
    linkSync(moved, file)
    rmSync(moved)
    refuse(now.pid)
  }
  rmSync(moved)
}

function holderOf(file: string): z.infer<typeof ClaimSchema> | null {
  try {
    return ClaimSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** The machine's boot, so that a process number is not mistaken for one from before a restart; null where unknown. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

/** Whether the process that owns a running record still lives. */
export function ownerLives(owner: Pick<AttemptRecord['owner'], 'pid' | 'boot_id'>): boolean {
  if (owner.boot_id !== null && owner.boot_id !== bootId()) return false
  try {
    process.kill(owner.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Looks at what an earlier process left of an attempt. A finished one is returned and not run again. One that was killed
 * or stopped is completed as `interrupted` from what is on disk, moved aside (kept and charged), and null is returned.
 * Throws when its owner is still at work.
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
      usage: usageOf(readModelCalls(join(dir, ATTEMPT_FILES.calls)).calls),
    })
  }
  moveAside(dir)
  return null
}

/** `attempt-1` becomes `attempt-1-interrupted-1`, or the next free number. */
function moveAside(dir: string): void {
  let number = 1
  while (existsSync(`${dir}-interrupted-${number}`)) number += 1
  renameSync(dir, `${dir}-interrupted-${number}`)
}

/** Records of an arm's interrupted attempts, which are no primary and no retry but were paid for. */
export function interruptedRecords(resultsDir: string, task: string, arm: string): AttemptRecord[] {
  const dir = armDir(resultsDir, task, arm)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => /-interrupted-\d+$/.test(name))
    .sort()
    .flatMap((name) => readRecord(join(dir, name)) ?? [])
}

export function makeAttemptDir(resultsDir: string, task: string, arm: string, attempt: number): string {
  const dir = attemptDir(resultsDir, task, arm, attempt)
  mkdirSync(dir, { recursive: true })
  return dir
}
