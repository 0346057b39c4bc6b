import { join } from 'node:path'
import { execa } from 'execa'
import type { Task } from '../corpus/scenario.ts'
import { ISOLATED } from '../jail/python.ts'
import { type JudgeResult, JudgeResultSchema } from './record.ts'

/** Longest time that a judge may take, its runs of the candidate included: each of those has a limit of its own. */
export const JUDGE_TIMEOUT_MS = 60 * 60_000
const JUDGE_OUTPUT_LIMIT = 4 * 2 ** 20

/** The judge failed: it says nothing about the work. */
export class JudgeFailed extends Error {
  override name = 'JudgeFailed'
}

/**
 * Runs a task's judge over a snapshot of the declared artifacts. Throws JudgeFailed when the judge crashes, takes too
 * long or prints anything but its one JSON object; `candidateMs` is what its runs of the candidate took; rejects with the signal's reason when that aborts.
 */
export async function judge(
  task: Task,
  artifacts: string,
  python: string,
  scale: string,
  signal: AbortSignal,
  timeoutMs: number = JUDGE_TIMEOUT_MS,
): Promise<{ result: JudgeResult; candidateMs: number | null }> {
  const [, script, ...rest] = task.scenario.judge_command
  const args = rest.map((word) => word.replaceAll('{workspace}', artifacts))
  const result = await execa(python, [...ISOLATED, join(task.dir, script!), ...args, '--scale', scale], {
    cwd: task.dir,
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
    forceKillAfterDelay: 2000,
    maxBuffer: JUDGE_OUTPUT_LIMIT,
    cancelSignal: signal,
  })
  signal.throwIfAborted()
  if (result.timedOut) throw new JudgeFailed(`judge.py was still at work after ${timeoutMs / 1000} s`)
  if (result.exitCode !== 0)
    throw new JudgeFailed(
      `judge.py ended with ${result.exitCode ?? result.signal}: ${result.stderr.slice(-4000) || result.shortMessage}`,
    )
  let json: unknown
  try {
    json = JSON.parse(result.stdout)
  } catch {
    throw new JudgeFailed(`judge.py printed no JSON: ${result.stdout.slice(0, 500)}`)
  }
  const parsed = JudgeResultSchema.safeParse(json)
  if (!parsed.success)
    throw new JudgeFailed(`judge.py printed something else than its contract: ${parsed.error.message}`)
  const seconds = /^candidate_seconds ([\d.]+)$/m.exec(result.stderr)?.[1]
  return { result: parsed.data, candidateMs: seconds === undefined ? null : Number(seconds) * 1000 }
}
