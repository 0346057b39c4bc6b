import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { adapterNames, loadAdapter } from '../agents/index.ts'
import { armsOf, type Config } from '../config.ts'
import { priceSheet } from '../gateway/prices.ts'
import { mergeHosts } from '../hosts/definition.ts'
import { hostPrefix } from '../hosts/prefix.ts'
import { checkJail } from '../jail/jail.ts'
import { findPython } from '../jail/python.ts'
import { REPO } from '../paths.ts'
import { parseFaults } from '../rehearsal/faults.ts'

/** What a run needs of this machine, and what of it is missing. */
export interface Preflight {
  /** A Python 3.12 that runs; empty when there is none. */
  python: string
  /** Host name → installed version, null where it is not installed. */
  hostVersions: Record<string, string | null>
  /** What cannot work, a sentence each. */
  problems: string[]
}

/** Looks at everything that a run of `config` needs before anything is started or paid for. */
export async function preflight(config: Config, env: NodeJS.ProcessEnv = process.env): Promise<Preflight> {
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
  await said(problems, async () => parseFaults(env.RW30_REHEARSAL_FAULTS ?? ''))
  if (config.budget_usd !== null && priceSheet(config) === null)
    problems.push(
      'budget_usd is set, but the model has no price (prices): its cost would be unknown and the budget never reached',
    )
  const key = typeof config.model === 'object' ? config.model.api_key_env : null
  if (key && !env[key]) problems.push(`the environment variable ${key} (model.api_key_env) is not set`)
  return { python: python?.path ?? '', hostVersions, problems }
}

async function said<T>(problems: string[], action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    problems.push(message(error))
    return undefined
  }
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))
