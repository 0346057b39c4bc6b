import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Budget } from '../gateway/budget.ts'
import { readModelCalls } from '../gateway/calls-file.ts'
import { ATTEMPT_FILES } from './record-store.ts'

/** The run's budget is used up: no new attempt is admitted. */
export class BudgetUsedUp extends Error {
  override name = 'BudgetUsedUp'
}

/** What a run has cost so far, by the calls on disk: running and interrupted attempts count. Throws BudgetUsedUp at the cap. */
export function admit(resultsDir: string, capUsd: number | null): Budget {
  const budget = new Budget({ capUsd, spentUsd: 0 })
  if (capUsd === null || !existsSync(resultsDir)) return budget
  for (const path of readdirSync(resultsDir, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith(`/${ATTEMPT_FILES.calls}`))
      for (const call of readModelCalls(join(resultsDir, path)).calls) budget.charge(call.cost_usd)
  if (!budget.admit())
    throw new BudgetUsedUp(
      `the run has cost $${budget.spentUsd.toFixed(4)} of $${capUsd}: no further attempt is admitted`,
    )
  return budget
}
