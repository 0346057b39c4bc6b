import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arm, Config } from '../config.ts'
import type { Task } from '../corpus/scenario.ts'
import type { Budget } from '../gateway/budget.ts'
import { fullDisks } from '../jail/disk.ts'
import type { JailEnd } from '../jail/jail.ts'
import { toJson, writeFileAtomically } from './files.ts'
import { Journal } from './journal.ts'
import { JudgeFailed, LoadedJudge } from './judge.ts'
import { AttemptLogs } from './logs.ts'
import { modelRoute } from './model-route.ts'
import { newRecord } from './new-record.ts'
import { REASONS } from './outcome.ts'
import { progressText } from './progress.ts'
import type { AttemptRecord, Plan } from './record.ts'
import { ATTEMPT_FILES, makeAttemptDir, writeRecord } from './record-store.ts'
import { redactor, redactTexts } from './redact.ts'
import { setScene } from './scene.ts'
import { makeScratch, type Scratch } from './scratch.ts'
import { admit } from './spending.ts'
import { type ConversationEnd, converse } from './stages.ts'
import { tally } from './tally.ts'

const DETAIL_LIMIT = 2000
const STDERR_TAIL = 800

export interface AttemptOptions {
  task: Task
  arm: Arm
  /** 1 the primary, 2 the retry. */
  number: 1 | 2
  config: Config
  plan: Plan
  resultsDir: string
  python: string
  /** Milliseconds since the epoch at which the run began. */
  queuedSince: number
  /** Stops the attempt; it ends as interrupted. */
  signal: AbortSignal
  /** Told now and then where a long attempt is. */
  progress(text: string): void
  progressEveryMs: number
}

/** What the steps of one attempt share. */
interface Course {
  options: AttemptOptions
  dir: string
  record: AttemptRecord
  scratch: Scratch
  budget: Budget
  /** `performance.now()` at its beginning. */
  began: number
  redact: (text: string) => string
  /** Which editable paths had no room left at the end; empty when all had. */
  diskFull: string
  /** Loads while the agent begins its last stage; when the conversation ends earlier, only then. */
  judge: LoadedJudge | null
}

/**
 * Runs one attempt from record to record: set-up, the stages, stop, snapshot, judge. Whatever happens inside ends in a
 * complete record with an outcome and its reason. Rejects with BudgetUsedUp, or when the record cannot be written.
 */
export async function runAttempt(options: AttemptOptions): Promise<AttemptRecord> {
  const budget = admit(options.resultsDir, options.config.budget_usd)
  const began = performance.now()
  const dir = makeAttemptDir(options.resultsDir, options.task.name, options.arm.name, options.number)
  const record = newRecord(options)
  writeRecord(dir, record)
  const scratch = await makeScratch()
  const course: Course = { options, dir, record, scratch, budget, began, redact: redactor(), diskFull: '', judge: null }
  try {
    const end = await play(course)
    void scratch.remove() // beside the judge, who needs nothing of it
    conclude(record, options.signal.aborted ? { reason: 'stopped', detail: null } : await judgeWork(course, end))
  } catch (error) {
    conclude(
      record,
      options.signal.aborted ? { reason: 'stopped', detail: null } : { reason: 'set_up', detail: describe(error) },
    )
  } finally {
    await course.judge?.dismiss()
    await scratch.remove()
  }
  record.status = 'done'
  record.ended_at = new Date().toISOString()
  record.times.lifecycle_ms = performance.now() - began
  const clean = redactTexts(record, course.redact)
  writeRecord(dir, clean)
  return clean
}

/** Set-up, conversation, stop and snapshot. Everything that was started has ended when it returns or throws. */
async function play(course: Course): Promise<ConversationEnd> {
  const { options, dir, record, scratch } = course
  const route = modelRoute(options.config, options.task)
  const token = `rw30-${randomBytes(24).toString('hex')}`
  course.redact = redactor([...route.secrets, token])
  const logs = new AttemptLogs(dir)
  const journal = new Journal(
    logs,
    course.redact,
    `${record.task}, ${record.arm}, attempt ${record.attempt}, model ${record.model}`,
  )
  const scene = await setScene({
    attempt: options,
    dir,
    logs,
    scratch,
    route,
    token,
    budget: course.budget,
    redact: course.redact,
    emit: (event) => journal.add(event),
  })
  const talking = performance.now()
  record.times.setup_ms = talking - course.began
  const count = () => {
    tally(record, journal, scene.gateway)
    if (scene.gateway.problem) logs.fail(scene.gateway.problem)
  }
  const show = () => {
    count()
    logs.keep(() => writeRecord(dir, record))
    options.progress(progressText(record, performance.now() - talking))
  }
  const ticking = setInterval(show, options.progressEveryMs)
  let end: ConversationEnd
  let closed: Awaited<ReturnType<typeof scene.close>> | undefined
  try {
    end = await converse({
      session: scene.session,
      stages: options.task.scenario.stages,
      workspace: scene.workspace,
      meter: scene.gateway,
      journal,
      limitMs: record.limit_seconds * 1000,
      stop: AbortSignal.any([options.signal, logs.failed]),
      record,
      progress: show,
      lastStage: () => {
        course.judge = load(course)
      },
    })
    if (!options.signal.aborted) await scene.session.stop()
  } finally {
    clearInterval(ticking)
    closed = await scene.close()
    record.survivors = closed.survivors
    journal.end()
    count()
  }
  const full = await fullDisks(scratch.workspace, options.task.scenario.editable_paths)
  course.diskFull = full.map((disk) => `${disk.path} has ${disk.freeBytes} bytes left`).join(', ')
  try {
    record.left_out = scene.workspace.snapshot(join(dir, ATTEMPT_FILES.artifacts))
  } catch (error) {
    return { reason: 'results_unwritable', detail: describe(error) }
  }
  if (logs.failed.aborted) return { reason: 'results_unwritable', detail: describe(logs.failed.reason) }
  return explainEnd(end, closed.end, record, tail(join(dir, ATTEMPT_FILES.stderr)))
}

/** The jail and the model calls know better than the conversation why an agent was suddenly gone. */
function explainEnd(end: ConversationEnd, jail: JailEnd, record: AttemptRecord, stderr: string): ConversationEnd {
  if (end.reason === null) return end
  if (jail.by === 'processes') return { reason: 'process_limit', detail: jail.detail }
  if (jail.by === 'resident_bytes') return { reason: 'memory_limit', detail: jail.detail }
  if (end.reason !== 'agent_exited') return end
  if (jail.exit === null) return { reason: 'jail_failed', detail: jail.failure }
  const reason = record.usage.total_calls === 0 ? 'agent_start' : end.reason
  return { reason, detail: stderr ? `${end.detail}; it printed last: ${stderr}` : end.detail }
}

/** The end of a log, for a person; empty when there is none. */
function tail(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().slice(-STDERR_TAIL) : ''
}

/** Judges what the agent left, where the end allows it; the level never changes why the conversation ended. */
async function judgeWork(course: Course, end: ConversationEnd): Promise<ConversationEnd> {
  const { dir, record, diskFull } = course
  if (!isJudged(end)) return end
  const start = performance.now()
  let verdict: ConversationEnd
  try {
    if (!course.judge || course.judge.gone) course.judge = load(course)
    const { result, candidateMs } = await course.judge.judge()
    record.judge = result
    record.times.judge_candidate_ms = candidateMs
    record.level = result.progress_level
    writeFileAtomically(join(dir, ATTEMPT_FILES.judge), toJson(redactTexts(result, course.redact)))
    verdict = { reason: result.progress_level === 5 ? 'level_5' : 'below_level_5', detail: null }
  } catch (error) {
    if (!(error instanceof JudgeFailed)) throw error
    verdict = { reason: 'judge_failed', detail: error.message }
  }
  record.times.judge_ms = performance.now() - start
  if (diskFull && verdict.reason !== 'level_5') return { reason: 'disk_full', detail: diskFull }
  return end.reason === null ? verdict : end
}

/** Whether the work is judged after such an end. */
const isJudged = ({ reason }: ConversationEnd): boolean => reason === null || REASONS[reason].judged

function load({ options, dir }: Course): LoadedJudge {
  const { task, python, config, signal } = options
  return new LoadedJudge({ task, artifacts: join(dir, ATTEMPT_FILES.artifacts), python, scale: config.scale, signal })
}

function conclude(record: AttemptRecord, { reason, detail }: ConversationEnd): void {
  if (reason === null) throw new Error('an attempt ends for a reason')
  record.reason = reason
  record.outcome = REASONS[reason].outcome
  record.detail = detail === null ? null : detail.slice(0, DETAIL_LIMIT)
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))
