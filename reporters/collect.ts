import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { type AttemptRecord, RecordSchema } from '../bench/attempt/record.ts'
import type { Problem } from './schema.ts'

const RECORD_FILE = 'record.json'

/** A record.json beyond this is not one of ours. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024

export interface Collected {
  readonly records: AttemptRecord[]
  /** One for each file or folder that could not be used, with its path below the results folder. */
  readonly problems: Problem[]
}

/** Identity of an attempt within a run, which is also its folder: `<task>/<arm>/attempt-<n>`. */
export function attemptPath(record: Pick<AttemptRecord, 'task' | 'arm' | 'attempt'>): string {
  return `${record.task}/${record.arm}/attempt-${record.attempt}`
}

/**
 * Reads every `<task>/<arm>/attempt-<n>/record.json` below a run's folder, in order of path. Whatever cannot be read, parsed
 * or believed becomes a problem; the others are returned all the same. A folder that does not exist holds no records.
 */
export function collectRecords(resultsDir: string): Collected {
  const records: AttemptRecord[] = []
  const problems: Problem[] = []
  const report = (path: string, problem: string) => problems.push({ path: relative(resultsDir, path) || '.', problem })
  for (const dir of attemptFolders(resultsDir, report)) {
    const path = join(dir, RECORD_FILE)
    try {
      const record = readRecord(path)
      const found = relative(resultsDir, dir).replace(/-interrupted-\d+$/, '')
      if (attemptPath(record) === found) records.push(record)
      else report(path, `says that it is ${attemptPath(record)}, but lies in ${found}`)
    } catch (error) {
      report(path, explain(error))
    }
  }
  return { records, problems }
}

/** The record in an attempt's folder. Throws an error that says what is wrong with it. */
export function readStoredRecord(attemptDir: string): AttemptRecord {
  const path = join(attemptDir, RECORD_FILE)
  try {
    return readRecord(path)
  } catch (error) {
    throw new Error(`${path}: ${explain(error)}`)
  }
}

function readRecord(path: string): AttemptRecord {
  const { size } = statSync(path)
  if (size > MAX_RECORD_BYTES) throw new Error(`is ${size} bytes, more than a record can have`)
  return RecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
}

function explain(error: unknown): string {
  if (error instanceof z.ZodError) return `does not fit the schema: ${z.prettifyError(error).replaceAll(/\s+/g, ' ')}`
  if (error instanceof SyntaxError) return `is not JSON: ${error.message}`
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'is missing'
  return code ? `cannot be read (${code})` : (error as Error).message
}

function* attemptFolders(resultsDir: string, report: (path: string, problem: string) => void): Generator<string> {
  for (const task of folders(resultsDir, /^\d\d-/, report)) {
    for (const arm of folders(task, /./, report)) {
      yield* folders(arm, /^attempt-/, report)
    }
  }
}

/** Sub-folders by name; links are not followed. */
function folders(dir: string, name: RegExp, report: (path: string, problem: string) => void): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(dir, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') report(dir, explain(error))
    return []
  }
  return entries
    .filter((entry) => entry.isDirectory() && name.test(entry.name))
    .map((entry) => join(dir, entry.name))
    .sort()
}
