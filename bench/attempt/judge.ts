import { join } from 'node:path'
import { execa } from 'execa'
import type { Task } from '../corpus/scenario.ts'
import { ISOLATED } from '../jail/python.ts'
import { type JudgeResult, JudgeResultSchema } from './record.ts'

/** Longest time that a judge may take once it is told to begin, its runs of the candidate included: each of those has a limit of its own. */
export const JUDGE_TIMEOUT_MS = 60 * 60_000
/** What a judge that is not needed any more may take to end by itself. */
const DISMISSAL_MS = 10_000
const JUDGE_OUTPUT_LIMIT = 4 * 2 ** 20

/** The judge failed: it says nothing about the work. */
export class JudgeFailed extends Error {
  override name = 'JudgeFailed'
}

/** A verdict, and what the judge's runs of the candidate took. */
export interface Judgement {
  result: JudgeResult
  candidateMs: number | null
}

/** Where a judge finds the work, and how it is run. */
export interface JudgeOptions {
  task: Task
  /** Folder with a snapshot of the declared artifacts; it need not be there before `judge` is called. */
  artifacts: string
  python: string
  scale: string
  /** Ends the judge. */
  signal: AbortSignal
  timeoutMs?: number
}

/**
 * A judge of one attempt, started ahead: it loads and opens its jail while the agent waits for a model. Whoever makes one
 * ends it with `dismiss`, on every path.
 */
export class LoadedJudge {
  readonly #options: JudgeOptions
  readonly #timeoutMs: number
  readonly #late = new AbortController()
  readonly #process

  constructor(options: JudgeOptions) {
    const { task, artifacts, python, scale, signal, timeoutMs = JUDGE_TIMEOUT_MS } = options
    this.#options = options
    this.#timeoutMs = timeoutMs
    const [, script, ...rest] = task.scenario.judge_command
    const args = rest.map((word) => word.replaceAll('{workspace}', artifacts))
    this.#process = execa(python, [...ISOLATED, join(task.dir, script!), ...args, '--scale', scale, '--when-told'], {
      cwd: task.dir,
      reject: false,
      stdin: 'pipe',
      forceKillAfterDelay: 2000,
      maxBuffer: JUDGE_OUTPUT_LIMIT,
      cancelSignal: AbortSignal.any([signal, this.#late.signal]),
    })
    this.#process.stdin.on('error', () => {}) // a judge that is gone says why by its end
  }

  /** Whether it has ended, told or not. */
  get gone(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  /**
   * The verdict on what lies in the folder now. Throws JudgeFailed when the judge crashes, takes too long or prints
   * anything but its one JSON object; rejects with the signal's reason when that aborts.
   */
  async judge(): Promise<Judgement> {
    this.#process.stdin.write('\n') // it stays open: a judge ends with its owner
    const ended = await this.#endsWithin(this.#timeoutMs)
    this.#options.signal.throwIfAborted()
    if (this.#late.signal.aborted) throw new JudgeFailed(`judge.py was still at work after ${this.#timeoutMs / 1000} s`)
    if (ended.exitCode !== 0)
      throw new JudgeFailed(
        `judge.py ended with ${ended.exitCode ?? ended.signal}: ${ended.stderr.slice(-4000) || ended.shortMessage}`,
      )
    const seconds = /^candidate_seconds ([\d.]+)$/m.exec(ended.stderr)?.[1]
    return { result: verdictOf(ended.stdout), candidateMs: seconds === undefined ? null : Number(seconds) * 1000 }
  }

  /** Resolves when the judge has ended; one that was not told to begin has no verdict. */
  async dismiss(): Promise<void> {
    this.#process.stdin.end()
    await this.#endsWithin(DISMISSAL_MS)
  }

  async #endsWithin(ms: number) {
    const timer = setTimeout(() => this.#late.abort(), ms)
    const ended = await this.#process
    clearTimeout(timer)
    return ended
  }
}

function verdictOf(printed: string): JudgeResult {
  let json: unknown
  try {
    json = JSON.parse(printed)
  } catch {
    throw new JudgeFailed(`judge.py printed no JSON: ${printed.slice(0, 500)}`)
  }
  const parsed = JudgeResultSchema.safeParse(json)
  if (!parsed.success)
    throw new JudgeFailed(`judge.py printed something else than its contract: ${parsed.error.message}`)
  return parsed.data
}
