import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { toJson } from './files.ts'
import { isElsewhere, OwnerSchema, ownerLives, thisOwner } from './owner.ts'
import { attemptDir } from './record-store.ts'

/** What a claim says of who holds it. */
const ClaimSchema = OwnerSchema.extend({ token: z.string() })
type Claim = z.infer<typeof ClaimSchema>

/** A holder writes the time of its claim anew so often, and counts as gone, where nobody sees its process, after so long. */
export const CLAIM_BEAT_MS = 15_000
export const CLAIM_STALE_MS = 120_000

const CLAIM_TRIES = 5

/**
 * Claims an attempt for this process, so that two runs of one id never both make it. Returns the function that gives it up; throws when
 * another living process holds it. A claim that its holder did not survive is taken over.
 */
export function claimAttempt(resultsDir: string, task: string, arm: string, attempt: number): () => void {
  const file = `${attemptDir(resultsDir, task, arm, attempt)}.claim`
  const token = randomBytes(8).toString('hex')
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${token}`
  writeFileSync(draft, toJson({ ...thisOwner(), token }))
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
  const beating = setInterval(() => beat(file, token), CLAIM_BEAT_MS)
  beating.unref()
  return () => {
    clearInterval(beating)
    if (holderOf(file)?.token === token) rmSync(file, { force: true })
  }
}

function beat(file: string, token: string): void {
  try {
    const now = new Date()
    if (holderOf(file)?.token === token) utimesSync(file, now, now)
  } catch {} // the claim is being taken over
}

/** Whether the holder of a claim still works: its process lives or, where that cannot be seen, its claim is fresh. */
function holds(claim: Claim, file: string): boolean {
  if (!isElsewhere(claim)) return ownerLives(claim)
  const beaten = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return Date.now() - beaten < CLAIM_STALE_MS
}

/** Moves a dead holder's claim away by rename, which only one process can do; a living one's, moved by mischance, is put back. */
function takeOverIfDead(file: string, token: string): void {
  const refuse = (claim: Claim) => {
    const where = isElsewhere(claim)
      ? ` of another container, which said so in the last ${CLAIM_STALE_MS / 1000} s,`
      : ''
    throw new Error(
      `${file}: process ${claim.pid}${where} is running this attempt; wait for it, or choose another run id (RW30_RUN_ID)`,
    )
  }
  const holder = holderOf(file)
  if (holder && holds(holder, file)) refuse(holder)
  const moved = `${file}.${token}.stale`
  try {
    renameSync(file, moved)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const now = holderOf(moved)
  if (now && holds(now, moved)) {
    linkSync(moved, file)
    rmSync(moved)
    refuse(now)
  }
  rmSync(moved)
}

function holderOf(file: string): Claim | null {
  try {
    return ClaimSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}
