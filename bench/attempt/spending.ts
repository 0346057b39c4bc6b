import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Budget } from '../gateway/budget.ts'
import { readModelCalls } from '../gateway/calls-file.ts'
import { ATTEMPT_FILES } from './record-store.ts'

/** The run's budget is used up: no new attempt is admitted. */
export class BudgetUsedUp extends Error {
  override name = 'BudgetUsedUp'
}

/**
 * What a run has cost so far, by the calls on disk: running and interrupted attempts count. Throws BudgetUsedUp at the cap, and also
 * when an answered call's cost is unknown: a budget that cannot be counted cannot be kept.
 */
export function admit(resultsDir: string, capUsd: number | null): Budget {
  const budget = new Budget({ capUsd, spentUsd: 0 })
  if (capUsd === null || !existsSync(resultsDir)) return budget
  let uncounted = 0
  for (const path of readdirSync(resultsDir, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith(`/${ATTEMPT_FILES.calls}`))
      for (const call of readModelCalls(join(resultsDir, path)).calls) {
        budget.charge(call.cost_usd)
        if (call.error === null && call.cost_usd === null) uncounted += 1
      }
  const stopped = 'no further attempt is admitted; the same run id (RW30_RUN_ID) goes on with another budget'
  if (uncounted > 0)
    throw new BudgetUsedUp(
      `the cost of ${uncounted} answered calls is unknown, so that the budget of $${capUsd} cannot be kept: ${stopped}`,
    )
  if (!budget.admit())
    throw new BudgetUsedUp(`the run has cost $${budget.spentUsd.toFixed(4)} of its budget of $${capUsd}: ${stopped}`)
  return budget
}
