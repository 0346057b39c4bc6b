import { inject, recordArtifact, test } from 'vitest'
import { annotationsOf } from '../attempt/annotations.ts'
import { runArm } from '../attempt/arm.ts'
import { runAttempt } from '../attempt/attempt.ts'
import { JUDGE_TIMEOUT_MS } from '../attempt/judge.ts'
import { freezePlan } from '../attempt/plan.ts'
import { attemptDir } from '../attempt/record-store.ts'
import { verdictText } from '../attempt/verdict.ts'
import { armsOf } from '../config.ts'
import { loadTask } from '../corpus/load.ts'
import { StacklessError } from '../stackless.ts'
import { followMainProcess } from './interrupt.ts'

/** Beside the agent's own limit and the judge's: generating a large fixture, starting, stopping, waiting for the other arm. */
export const SET_UP_ALLOWANCE_MS = 10 * 60_000

/** Ending a jail and completing a record takes no longer. */
const STOPPING_ALLOWANCE_MS = 30_000

const nothing = () => {}

/** How often a long attempt says where it is. */
const PROGRESS_INTERVAL_MS = 10_000

followMainProcess()

/** A failed test says what the judge says; a stack and a source excerpt of the bench would say nothing. */
class NotStrict extends StacklessError {
  override name = 'NotStrict'
}

/** Defines the tests of a task folder, one an arm; the arms of a pair run side by side. */
export function define(folder: string): void {
  const task = loadTask(folder)
  const { config, plan, resultsDir, python, startedAt } = inject('rw30')
  if (!plan.tasks.includes(task.name))
    throw new Error(`${task.name} is not in tasks/tasks.json: no task of this corpus (npm run validate says more)`)
  const limitMs = 1000 * (config.timeout_seconds ?? task.scenario.timeout_seconds)
  const timeout = (1 + config.retry_failed) * (limitMs + JUDGE_TIMEOUT_MS + SET_UP_ALLOWANCE_MS)

  for (const arm of armsOf(config))
    test.concurrent(`${task.name} ${arm.name}`, { timeout, retry: 0 }, async ({
      task: vitestTask,
      annotate,
      signal,
      onTestFinished,
    }) => {
      freezePlan(resultsDir, plan)
      vitestTask.meta.rw30 = { plan, resultsDir, task: task.name, arm: arm.name, attempts: [] }
      const run = runArm({
        plan,
        resultsDir,
        task: task.name,
        arm: arm.name,
        handOver: (records) => {
          vitestTask.meta.rw30 = { plan, resultsDir, task: task.name, arm: arm.name, attempts: records }
        },
        attempt: (number) =>
          runAttempt({
            task,
            arm,
            number,
            config,
            plan,
            resultsDir,
            python,
            queuedSince: startedAt,
            signal,
            progressEveryMs: PROGRESS_INTERVAL_MS,
            progress: (message) => void recordArtifact(vitestTask, { type: 'rw30-progress', message }).catch(() => {}),
          }),
      })
      // vitest leaves a test that it cancels at once, but waits for this: the jail ends and the record is completed.
      onTestFinished(() => run.then(nothing, nothing), STOPPING_ALLOWANCE_MS)
      const attempts = await run
      for (const record of attempts)
        for (const note of annotationsOf(record, attemptDir(resultsDir, task.name, arm.name, record.attempt)))
          await annotate(note.message, note.type, note.attachment)
      const last = attempts.at(-1)!
      if (last.outcome !== 'strict') throw new NotStrict(verdictText(last))
    })
}
