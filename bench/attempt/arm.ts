import { claimAttempt } from './claim.ts'
import type { AttemptRecord, Plan } from './record.ts'
import { interruptedRecords, settleEarlier } from './record-store.ts'

export interface ArmRun {
  plan: Plan
  resultsDir: string
  task: string
  arm: string
  /** Makes one attempt, whatever came before it. */
  attempt(number: 1 | 2): Promise<AttemptRecord>
  /** Called after each attempt with all there are, so that what is known is handed over before what comes next. */
  handOver(attempts: AttemptRecord[]): void
}

/**
 * The retry rule: a primary that ended otherwise than strict gets one retry, if the plan allows retries. An interrupted one gets
 * none: it is made anew by the next run of the same id. (A rule that looks at both arms of a pair, such as a retry for
 * efficiency, belongs here, beside this one.)
 */
export const needsRetry = (plan: Pick<Plan, 'retry_failed'>, primary: Pick<AttemptRecord, 'outcome'>): boolean =>
  plan.retry_failed === 1 && primary.outcome !== 'strict' && primary.outcome !== 'interrupted'

/** Runs what is missing of an arm on a task: the primary, then perhaps the retry. Finished attempts of the same run are not repeated. */
export async function runArm(run: ArmRun): Promise<AttemptRecord[]> {
  const attempts: AttemptRecord[] = []
  const make = async (number: 1 | 2) => {
    const giveUp = claimAttempt(run.resultsDir, run.task, run.arm, number)
    let record: AttemptRecord
    try {
      record = settleEarlier(run.resultsDir, run.task, run.arm, number) ?? (await run.attempt(number))
    } finally {
      giveUp()
    }
    attempts.push(record)
    run.handOver([...attempts, ...interruptedRecords(run.resultsDir, run.task, run.arm)])
    return record
  }
  const primary = await make(1)
  if (needsRetry(run.plan, primary)) await make(2)
  return attempts
}
