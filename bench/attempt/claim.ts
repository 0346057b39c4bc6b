import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { toJson } from './files.ts'
import { bootId, ownerLives } from './owner.ts'
import { attemptDir } from './record-store.ts'

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
