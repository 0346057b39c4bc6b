import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { z } from 'zod'
import userConfig from '../../rw30.config.ts'
import { adapterNames, loadAdapter } from '../agents/index.ts'
import { makePlan, newRunId } from '../attempt/plan.ts'
import { sweepScratch } from '../attempt/scratch.ts'
import { armsOf, resolveConfig, resultsDirOf } from '../config.ts'
import { priceSheet } from '../gateway/prices.ts'
import { mergeHosts } from '../hosts/definition.ts'
import { hostPrefix } from '../hosts/prefix.ts'
import { checkJail } from '../jail/jail.ts'
import { findPython } from '../jail/python.ts'
import { REPO } from '../paths.ts'
import { parseFaults } from '../rehearsal/faults.ts'
import { listed, StacklessError } from '../stackless.ts'
import type {} from './run-context.ts'

/** Before the first test of project rw30: what cannot work is said once, all together, and the plan of the run is made. */
export default async function setup(project: TestProject): Promise<void> {
  const config = resolveConfig(userConfig)
  const problems: string[] = []
  const python = await said(problems, findPython)
  if (python) await said(problems, () => checkJail(python.path))
  const hostVersions = Object.fromEntries(
    [...new Set(armsOf(config).map((arm) => arm.host))].map((host) => {
      try {
        return [host, hostPrefix(host, mergeHosts(config.hosts)).version]
      } catch (error) {
        problems.push(message(error))
        return [host, null]
      }
    }),
  )
  for (const arm of armsOf(config)) {
    if (!adapterNames().includes(arm.agent))
      problems.push(`arm ${arm.name}: no agent is called ${arm.agent}; known: ${adapterNames().join(', ')}`)
    else {
      const { error } = (await loadAdapter(arm.agent)).settings.safeParse(arm.settings)
      if (error) problems.push(`arm ${arm.name}: settings: ${z.prettifyError(error)}`)
    }
    for (const extension of arm.extensions)
      if (!existsSync(resolve(REPO, extension)))
        problems.push(`arm ${arm.name}: the extension ${extension} is not there`)
  }
  await said(problems, async () => parseFaults(process.env.RW30_REHEARSAL_FAULTS ?? ''))
  if (config.budget_usd !== null && priceSheet(config) === null)
    problems.push(
      'budget_usd is set, but the model has no price (prices): its cost would be unknown and the budget never reached',
    )
  const key = typeof config.model === 'object' ? config.model.api_key_env : null
  if (key && !process.env[key]) problems.push(`the environment variable ${key} (model.api_key_env) is not set`)
  if (problems.length > 0 && !collecting()) throw new StacklessError(listed('rw30 cannot run here:', problems))

  sweepScratch()
  const now = new Date()
  const runId = config.run_id ?? newRunId(now)
  project.provide('rw30', {
    config,
    plan: makePlan(config, { runId, now, hostVersions, prices: priceSheet(config) }),
    resultsDir: join(resultsDirOf(config), runId),
    python: python?.path ?? '',
    startedAt: now.getTime(),
  })
}

/** `vitest list` only wants the names: it needs no host. */
const collecting = (): boolean => process.argv.includes('list')

async function said<T>(problems: string[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    problems.push(message(error))
    return undefined
  }
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))
