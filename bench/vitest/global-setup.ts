import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import userConfig from '../../rw30.config.ts'
import { makePlan, newRunId } from '../attempt/plan.ts'
import { sweepScratch } from '../attempt/scratch.ts'
import { armsOf, resolveConfig, resultsDirOf } from '../config.ts'
import { priceSheet } from '../gateway/prices.ts'
import { mergeHosts } from '../hosts/definition.ts'
import { hostPrefix } from '../hosts/prefix.ts'
import { checkJail } from '../jail/jail.ts'
import { findPython } from '../jail/python.ts'
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
  const key = typeof config.model === 'object' ? config.model.api_key_env : null
  if (key && !process.env[key]) problems.push(`the environment variable ${key} (model.api_key_env) is not set`)
  if (problems.length > 0 && !collecting())
    throw new Error(`rw30 cannot run here:\n${problems.map((line) => `- ${line}`).join('\n')}`)

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
