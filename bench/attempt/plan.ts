import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { armsOf, type Config, comparisonOf } from '../config.ts'
import { corpusDigest, readJson, taskNames } from '../corpus/load.ts'
import { filesDigest } from '../digest.ts'
import { REPO } from '../paths.ts'
import { toJson } from './files.ts'
import { type Plan, PlanSchema } from './record.ts'

/** A name for a run that says when it began and sorts by it: 2026-11-30T02-31-44Z. */
export const newRunId = (now: Date): string => `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`

/** What is known of the machine's side of a plan. */
export interface PlanFacts {
  runId: string
  now: Date
  /** Host name -> package@version, or null while it is not installed. */
  hostVersions: Record<string, string | null>
  prices: Plan['prices']
}

/** The plan of a run, from its configuration: everything that two runs must share to be compared. */
export function makePlan(config: Config, facts: PlanFacts): Plan {
  const tasks = taskNames()
  const rehearsal = config.model === 'rehearsal'
  return PlanSchema.parse({
    schema: 'rw30.plan/v1',
    run_id: facts.runId,
    created_at: facts.now.toISOString(),
    rw30_version: JSON.parse(readFileSync(join(REPO, 'package.json'), 'utf8')).version,
    arms: armsOf(config).map((arm) => ({
      ...arm,
      host_version: facts.hostVersions[arm.host] ?? null,
      extensions_digest: digestOf(arm.extensions),
    })),
    comparison: comparisonOf(config),
    model:
      config.model === 'rehearsal'
        ? { provider: 'rehearsal', id: 'rehearsal', rehearsal, reasoning: null }
        : { provider: config.model.provider, id: config.model.id, rehearsal, reasoning: config.model.reasoning },
    tasks,
    retry_failed: config.retry_failed,
    workers: config.workers,
    budget_usd: config.budget_usd,
    timeout_seconds: config.timeout_seconds,
    scale: config.scale,
    prices: facts.prices,
    corpus_digest: corpusDigest(tasks),
  })
}

/** Tells versions of an arm's extensions apart. */
const digestOf = (extensions: readonly string[]): string | null =>
  extensions.length === 0
    ? null
    : filesDigest(
        extensions.map((path) => resolve(REPO, path)),
        REPO,
      )

/** Keys that may differ when a run is continued, or run in shards: they change no attempt. */
const FREE_KEYS: readonly (keyof Plan)[] = ['created_at', 'workers', 'budget_usd']

/** The keys in which two plans differ so that their attempts are not comparable; empty for starts and shards of one run. */
export const planDifferences = (one: Plan, other: Plan): (keyof Plan)[] =>
  (Object.keys(PlanSchema.shape) as (keyof Plan)[]).filter(
    (key) => !FREE_KEYS.includes(key) && JSON.stringify(one[key]) !== JSON.stringify(other[key]),
  )

/**
 * Writes plan.json before the first attempt, or finds it there and returns it. Throws when a run of this id was planned
 * otherwise: attempts made under two plans are not comparable.
 */
export function freezePlan(resultsDir: string, plan: Plan): Plan {
  mkdirSync(resultsDir, { recursive: true })
  const file = join(resultsDir, 'plan.json')
  const temporary = `${file}.${process.pid}.tmp`
  if (!existsSync(file)) {
    writeFileSync(temporary, toJson(plan))
    try {
      linkSync(temporary, file)
      return plan
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  }
  const frozen = readPlan(file)
  const differences = planDifferences(frozen, plan).map(
    (key) => `  - ${key}: ${JSON.stringify(frozen[key])} there, ${JSON.stringify(plan[key])} now`,
  )
  if (differences.length > 0)
    throw new Error(
      `${file}: this run was planned otherwise; choose another run id (RW30_RUN_ID) or undo the change:\n${differences.join('\n')}`,
    )
  return frozen
}

/** Reads plan.json; throws with its path and every problem. */
export function readPlan(file: string): Plan {
  const parsed = PlanSchema.safeParse(readJson(file))
  if (!parsed.success) throw new Error(`${file} is no valid plan:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}
