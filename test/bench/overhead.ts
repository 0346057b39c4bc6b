import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { runAttempt } from '../../bench/attempt/attempt.ts'
import { makePlan } from '../../bench/attempt/plan.ts'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { attemptDir } from '../../bench/attempt/record-store.ts'
import { armsOf, resolveConfig } from '../../bench/config.ts'
import { loadTask, taskNames } from '../../bench/corpus/load.ts'
import type { Task } from '../../bench/corpus/scenario.ts'
import { findPython } from '../../bench/jail/python.ts'
import { TASKS_DIR } from '../../bench/paths.ts'

/**
 * `npm run bench:overhead [-- TASK…]`: what the benchmark itself costs, on real attempts (real host, jail, judge; rehearsal
 * model). Exits 1 when a median is above its aim. Run it on a quiet machine; the first attempt of a task fills caches and is left out.
 */
const RUNS = 7
const STORED = 500

const columns = ['setup', 'rest', 'bench', 'judge', 'overhead'] as const
type Parts = Record<(typeof columns)[number], number>

/** The tasks with large inputs, by their number; section 10.2 of the specification. */
const LARGE = /^(09|13|17|18|19|25|30)-/

/** Aims for all parts together, in milliseconds, by the task's number. */
const OVERHEAD_AIMS: Record<string, number> = { '01': 250, '02': 250, '06': 250, '13': 1000 }

/** What a task may cost, in milliseconds; thousands of inputs are to be laid, and large outputs to be kept, in large tasks only. */
const aims = (task: string): Record<'bench' | 'judge' | 'overhead', number> => ({
  ...(LARGE.test(task) ? { bench: 500, judge: 5000 } : { bench: 250, judge: 1000 }),
  overhead: OVERHEAD_AIMS[task.slice(0, 2)] ?? Infinity,
})

const config = resolveConfig({ arms: { pi: {} } }, {})
const plan = makePlan(config, { runId: 'overhead', now: new Date(), hostVersions: {}, prices: null })
const python = (await findPython()).path

async function attempt(task: Task, resultsDir: string): Promise<AttemptRecord> {
  const record = await runAttempt({
    task,
    arm: armsOf(config)[0]!,
    number: 1,
    config,
    plan,
    resultsDir,
    python,
    queuedSince: Date.now(),
    signal: new AbortController().signal,
    progress: () => {},
    progressEveryMs: 3_600_000,
  })
  if (record.outcome !== 'strict')
    throw new Error(`${task.name}: ${record.outcome}, ${record.reason}: ${record.detail}`)
  return record
}

const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

/** Milliseconds of one attempt that are neither the agent's nor the candidate's. */
function parts({ times }: AttemptRecord): Parts {
  const setup = times.setup_ms!
  const judge = times.judge_ms! - times.judge_candidate_ms!
  const overhead = times.lifecycle_ms! - times.agent_ms! - times.judge_candidate_ms!
  const bench = overhead - judge
  return { setup, rest: bench - setup, bench, judge, overhead }
}

const row = (cells: (string | number)[]) =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(44) : String(cell).padStart(10))).join('')

/** Runs a task `RUNS` times into fresh folders below `resultsDir` and returns the medians. */
async function measure(task: Task, resultsDir: string, label: string): Promise<Parts> {
  await attempt(task, join(resultsDir, 'warm'))
  const all: Parts[] = []
  for (let run = 0; run < RUNS; run++) all.push(parts(await attempt(task, join(resultsDir, `${run}`))))
  const medians = Object.fromEntries(
    columns.map((column) => [column, median(all.map((each) => each[column]))]),
  ) as Parts
  console.log(row([label, ...columns.map((column) => medians[column].toFixed(0))]))
  return medians
}

const folder = await dir({ unsafeCleanup: true, prefix: 'rw30-overhead-' })
try {
  console.log(
    `medians of ${RUNS} attempts, milliseconds (bench: setup and rest, which is stop, snapshot, records; judge: without the candidate's runs)`,
  )
  console.log(row(['', ...columns]))
  const late: string[] = []
  const wanted = process.argv.slice(2)
  const names = taskNames().filter((task) => wanted.length === 0 || wanted.some((part) => task.startsWith(part)))
  if (names.length === 0) throw new Error(`no task's name begins with ${wanted.join(' or ')}`)
  for (const name of names) {
    const measured = await measure(loadTask(join(TASKS_DIR, name)), join(folder.path, name), name)
    for (const [part, aim] of Object.entries(aims(name)) as [keyof ReturnType<typeof aims>, number][])
      if (measured[part] > aim) late.push(`${name}: ${part} ${measured[part].toFixed(0)} ms, the aim is ${aim} ms`)
  }
  const first = loadTask(join(TASKS_DIR, names[0]!))
  const crowded = join(folder.path, 'crowded')
  mkdirSync(crowded)
  for (let run = 0; run < STORED; run++)
    cpSync(
      attemptDir(join(folder.path, first.name, '0'), first.name, 'pi', 1),
      attemptDir(join(crowded, '0'), first.name, `stored-${run}`, 1),
      { recursive: true },
    )
  await measure(first, crowded, `${first.name}, beside ${STORED} stored`)
  for (const line of late) console.error(line)
  process.exitCode = late.length > 0 ? 1 : 0
} finally {
  await folder.cleanup()
}
