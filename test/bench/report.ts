import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dirSync } from 'tmp-promise'
import { attemptPath, collectRecords } from '../../reporters/collect.ts'
import { writeReport } from '../../reporters/files.ts'
import { summarise } from '../../reporters/summary.ts'
import { renderTerminal } from '../../reporters/terminal.ts'
import { makePlan, makeRecord } from '../support/records.ts'

/** What the reports of 10,000 attempts may take, from records on disk to all their files. */
const LIMITS = { seconds: 3, peakMegabytes: 300 } as const
const RUNS = 14
const TASKS = 30
const ARMS = 12
const ATTEMPTS = [1, 2] as const

const tasks = Array.from({ length: TASKS }, (_, index) => `${String(index + 1).padStart(2, '0')}-synthetic-task`)
const arms = Array.from({ length: ARMS }, (_, index) => `arm-${index + 1}`)
const plan = makePlan({
  tasks,
  arms: arms.map((name) => ({ ...makePlan().arms[0]!, name })),
  comparison: { reference: 'arm-1', candidate: 'arm-2' },
})

/** The valid records of one run, with unequal figures: every tenth fails with notes, every second is a retry. */
function writeRecords(runDir: string, run: number): void {
  let number = run
  for (const task of tasks)
    for (const arm of arms)
      for (const attempt of ATTEMPTS) {
        number += 1
        const spread = 1 + ((number * 7919) % 1000) / 1000
        const failed = number % 10 === 0
        const record = makeRecord({
          task,
          arm,
          attempt,
          pressure: (['N', 'L', 'M', 'H'] as const)[Number(task.slice(0, 2)) % 4]!,
          reason: failed ? 'below_level_5' : 'level_5',
          agentMs: 90_000 * spread,
          cost: 0.05 * spread,
          notes: failed ? ['row 17: total is 12.30, expected 12.40', 'monthly_summary.json: no key 2026-03'] : [],
        })
        const dir = join(runDir, attemptPath(record))
        mkdirSync(dir, { recursive: true })
        writeFileSync(join(dir, 'record.json'), `${JSON.stringify(record, null, 2)}\n`)
      }
}

/** Reports one run as the reporter does; returns how many records it found. */
function report(runDir: string): number {
  const { records, problems } = collectRecords(runDir)
  const summary = summarise(records, plan, problems)
  const path = writeReport(runDir, plan, records, problems, summary)
  renderTerminal(summary, plan, records, path, { columns: 80, colours: false })
  return records.length
}

const { name: root } = dirSync({ prefix: 'rw30-report-' })
try {
  const runDirs = Array.from({ length: RUNS }, (_, run) => join(root, `run-${run}`))
  runDirs.forEach(writeRecords)
  globalThis.gc?.()
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  let found = 0
  for (const runDir of runDirs) found += report(runDir)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const peakMegabytes = process.resourceUsage().maxRSS / 1024
  console.log(
    `${found} records of ${RUNS} runs: ${seconds.toFixed(2)} s (CPU ${((user + system) / 1e6).toFixed(2)} s), peak ${peakMegabytes.toFixed(0)} MB`,
  )
  console.log(`limits: ${LIMITS.seconds} s, ${LIMITS.peakMegabytes} MB`)
  const complete = found === RUNS * TASKS * ARMS * ATTEMPTS.length
  if (!complete) console.log('records were lost')
  if (!complete || seconds > LIMITS.seconds || peakMegabytes > LIMITS.peakMegabytes) process.exitCode = 1
} finally {
  rmSync(root, { recursive: true, force: true })
}
