import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AttemptRecord, Plan } from '../bench/attempt/record.ts'
import { attemptDir, writeRecord } from '../bench/attempt/record-store.ts'
import { renderMarkdown } from './markdown.ts'
import type { Problem, Results, Summary } from './schema.ts'
import { sortAttempts } from './summary.ts'

/** Characters that are gathered before a write: keeps memory flat however many attempts there are. */
const CHUNK_CHARACTERS = 256 * 1024

/**
 * Writes results.json, summary.json and SUMMARY.md into a run's folder, each whole or not at all (temporary file, then rename).
 * Synchronous, so that a process that is about to be ended has still written them. Returns the path of SUMMARY.md.
 */
export function writeReport(
  resultsDir: string,
  plan: Plan,
  records: readonly AttemptRecord[],
  problems: readonly Problem[],
  summary: Summary,
): string {
  mkdirSync(resultsDir, { recursive: true })
  const attempts = sortAttempts(records, plan)
  storeForeign(resultsDir, attempts)
  const results: Results = { schema: 'rw30.results/v1', plan, attempts, problems: [...problems] }
  replaceFile(join(resultsDir, 'results.json'), (write) => writeJson(results, write))
  replaceFile(join(resultsDir, 'summary.json'), (write) => writeJson(summary, write))
  const path = join(resultsDir, 'SUMMARY.md')
  replaceFile(path, (write) => write(renderMarkdown(summary, plan, attempts)))
  return path
}

/**
 * Attempts of shards that ran elsewhere get their record here (and nothing else), so that the run can be browsed and continued
 * where it was merged.
 */
function storeForeign(resultsDir: string, attempts: readonly AttemptRecord[]): void {
  for (const record of attempts) {
    const dir = attemptDir(resultsDir, record.task, record.arm, record.attempt)
    if (record.status !== 'done' || record.outcome === 'interrupted' || existsSync(dir)) continue
    mkdirSync(dir, { recursive: true })
    writeRecord(dir, record)
  }
}

type Write = (text: string) => void

/** JSON with a line for each member, and objects and lists of plain values on one line. */
function writeJson(value: unknown, write: Write, newline = '\n'): void {
  if (!isNested(value)) {
    write(JSON.stringify(value))
    return
  }
  const list = Array.isArray(value)
  const inner = `${newline}  `
  let separator = list ? '[' : '{'
  for (const key of Object.keys(value)) {
    write(list ? separator + inner : `${separator}${inner}${JSON.stringify(key)}: `)
    writeJson(value[key], write, inner)
    separator = ','
  }
  write(newline + (list ? ']' : '}'))
}

/** Does it hold another object or list? */
function isNested(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.values(value).some(isObject)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function replaceFile(path: string, fill: (write: Write) => void): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    const file = openSync(temporary, 'w')
    try {
      let pending = ''
      fill((text) => {
        pending += text
        if (pending.length < CHUNK_CHARACTERS) return
        writeAll(file, pending)
        pending = ''
      })
      writeAll(file, `${pending}\n`)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A single write may be short. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}
