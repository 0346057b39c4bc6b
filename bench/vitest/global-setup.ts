import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import userConfig from '../../rw30.config.ts'
import { makePlan, newRunId } from '../attempt/plan.ts'
import { sweepScratch } from '../attempt/scratch.ts'
import { resolveConfig, resultsDirOf } from '../config.ts'
import { priceSheet } from '../gateway/prices.ts'
import { listed, StacklessError } from '../stackless.ts'
import { preflight } from './preflight.ts'
import type {} from './run-context.ts'

/** Before the first test of project rw30: what cannot work is said once, all together, and the plan of the run is made. */
export default async function setup(project: TestProject): Promise<void> {
  const config = resolveConfig(userConfig)
  const { python, hostVersions, problems } = await preflight(config)
  if (problems.length > 0 && !collecting()) throw new StacklessError(listed('rw30 cannot run here:', problems))

  sweepScratch()
  const now = new Date()
  const runId = config.run_id ?? newRunId(now)
  project.provide('rw30', {
    config,
    plan: makePlan(config, { runId, now, hostVersions, prices: priceSheet(config) }),
    resultsDir: join(resultsDirOf(config), runId),
    python,
    startedAt: now.getTime(),
  })
}

/** `vitest list` only wants the names: it needs no host. */
const collecting = (): boolean => process.argv.includes('list')
