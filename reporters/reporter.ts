import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from 'vitest/node'
import { planDifferences, readPlan } from '../bench/attempt/plan.ts'
import type { AttemptRecord, HandOver, Plan } from '../bench/attempt/record.ts'
import '../bench/vitest/meta.ts'
import { attemptPath, collectRecords } from './collect.ts'
import { writeReport } from './files.ts'
import { groupBy } from './group.ts'
import { PROGRESS_TYPE, Progress } from './progress.ts'
import type { Problem } from './schema.ts'
import { sortAttempts, summarise } from './summary.ts'
import { renderTerminal, type Screen } from './terminal.ts'

const DEFAULT_COLUMNS = 80

/**
 * vitest reporter, used beside others: from the attempts that tests hand over, in one run or merged from blob reports, to
 * results.json, summary.json, SUMMARY.md and a table on the terminal. Silent where no test hands anything over.
 */
export default class Rw30Reporter implements Reporter {
  #vitest: Vitest | undefined
  #progress: Progress | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    const replay = vitest.config.mergeReports !== undefined
    this.#progress = replay ? undefined : new Progress((line) => vitest.logger.log(line))
  }

  /** A progress annotation is printed here, and stays with its test: for what is worth keeping, such as a new stage. */
  onTestCaseAnnotate(test: TestCase, annotation: { type: string; message: string }): void {
    if (annotation.type === PROGRESS_TYPE) this.#progress?.note(test, annotation.message)
  }

  /** A progress artifact is printed here and nowhere else: no other reporter shows it. */
  onTestCaseArtifactRecord(test: TestCase, artifact: { type: string; message?: string }): void {
    if (artifact.type === PROGRESS_TYPE && artifact.message) this.#progress?.note(test, artifact.message)
  }

  onTestCaseResult(test: TestCase): void {
    this.#progress?.end(test)
  }

  /** All of it is synchronous: vitest may be about to be ended. */
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, _reason: TestRunEndReason): void {
    if (isNameless(modules, this.#vitest)) {
      this.#vitest?.logger.error(`rw30: no task or arm has a name like -t ${this.#vitest.config.testNamePattern}`)
      process.exitCode = 1
    }
    const runs = gatherRuns(modules)
    if (runs.length > 1) this.#vitest?.logger.log(severalRuns(runs))
    for (const run of runs) {
      try {
        this.#report(run)
      } catch (error) {
        this.#vitest?.logger.error(`rw30: the summary of ${run.plan.run_id} could not be written: ${error}`)
        process.exitCode = 1
      }
    }
  }

  #report(run: Run): void {
    const { records, problems } = withStored(run)
    const summary = summarise(records, run.plan, problems)
    const path = writeReport(run.resultsDir, run.plan, records, problems, summary)
    this.#vitest?.logger.log(renderTerminal(summary, run.plan, sortAttempts(records, run.plan), path, screen()))
  }
}

/** Whether `-t` chose none of the tasks: with a typo nothing would run, and nothing fail. A shard may hold none. */
function isNameless(modules: readonly TestModule[], vitest: Vitest | undefined): boolean {
  if (!vitest?.config.testNamePattern || vitest.config.shard) return false
  if (!modules.some(({ project }) => project.name === 'rw30')) return false
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  return tests.length > 0 && tests.every((test) => test.result().state === 'skipped')
}

/** Shards that were given no common run id look like runs of their own. */
function severalRuns(runs: readonly Run[]): string {
  const ids = runs.map(({ plan }) => plan.run_id).join(', ')
  return `rw30: these are ${runs.length} runs (${ids}), each summarised by itself; shards of one run need the same RW30_RUN_ID`
}

/** What the tests of one run id handed over. */
export interface Run {
  readonly plan: Plan
  readonly resultsDir: string
  readonly attempts: readonly AttemptRecord[]
  readonly problems: readonly Problem[]
}

/** The runs whose tests are among the modules. */
export function gatherRuns(modules: readonly TestModule[]): Run[] {
  const byRun = groupBy([...handOvers(modules)], ({ plan }) => plan.run_id)
  return [...byRun.values()].map((handOvers) => {
    const folders = handOvers.map(({ resultsDir }) => resultsDir)
    // Shards of other machines name folders that are not here.
    const resultsDir = folders.find((folder) => existsSync(folder)) ?? folders[0]!
    const plan = storedPlan(resultsDir) ?? earliest(handOvers.map((handOver) => handOver.plan))
    const problems = handOvers
      .filter((handOver) => planDifferences(handOver.plan, plan).length > 0)
      .map(({ task, arm }) => ({ path: `${task}/${arm}`, problem: 'was run under another plan than this run has' }))
    return { plan, resultsDir, attempts: handOvers.flatMap(({ attempts }) => attempts), problems }
  })
}

/** plan.json as it was frozen; null when there is none that can be used. */
function storedPlan(resultsDir: string): Plan | null {
  try {
    return readPlan(join(resultsDir, 'plan.json'))
  } catch {
    return null
  }
}

function earliest(plans: readonly Plan[]): Plan {
  return plans.reduce((first, plan) => (plan.created_at < first.created_at ? plan : first))
}

function* handOvers(modules: readonly TestModule[]): Generator<HandOver> {
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { rw30 } = test.meta()
      if (rw30) yield rw30
    }
  }
}

/**
 * Adds the records on disk that no test of this run handed over: a run that is continued with `-t` keeps what it had. An attempt
 * that is known from both is taken as handed over, unless that one is still running.
 */
function withStored({ attempts, problems, resultsDir }: Run): { records: AttemptRecord[]; problems: Problem[] } {
  const stored = collectRecords(resultsDir)
  const byStart = new Map<string, AttemptRecord>()
  for (const record of [...stored.records, ...attempts]) {
    const key = `${attemptPath(record)} ${record.started_at}`
    if (record.status === 'done' || !byStart.has(key)) byStart.set(key, record)
  }
  return { records: [...byStart.values()], problems: [...problems, ...stored.problems] }
}

function screen(): Screen {
  const { isTTY, columns } = process.stdout
  return { columns: isTTY && columns ? columns : DEFAULT_COLUMNS, colours: isTTY === true && !process.env.NO_COLOR }
}
