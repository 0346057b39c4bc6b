import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AttemptRecord, Plan } from '../bench/attempt/record.ts'
import { renderMarkdown } from './markdown.ts'
import type { Problem, Results, Summary } from './schema.ts'
import { sortAttempts } from './summary.ts'

/** Characters that are gathered before a write: keeps memory flat however many attempts there are. */
const CHUNK_CHARACTERS = 256 * 1024

/** How deep JSON is written member by member; what lies deeper is small and written in one piece. */
const PIECE_DEPTH = 4

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
  const results: Results = { schema: 'rw30.results/v1', plan, attempts, problems: [...problems] }
  replaceFile(join(resultsDir, 'results.json'), jsonPieces(results))
  replaceFile(join(resultsDir, 'summary.json'), jsonPieces(summary))
  const path = join(resultsDir, 'SUMMARY.md')
  replaceFile(path, [renderMarkdown(summary, plan, attempts)])
  return path
}

/** The same text as `JSON.stringify(value, null, 2)` and a newline, in pieces. */
function* jsonPieces(value: object): Generator<string> {
  yield* membersOf(value, '\n', PIECE_DEPTH)
  yield '\n'
}

function* membersOf(value: unknown, newline: string, depth: number): Generator<string> {
  const small = value === null || typeof value !== 'object' || Object.keys(value).length === 0
  if (small || depth === 0) {
    yield JSON.stringify(value, null, 2).replaceAll('\n', newline)
    return
  }
  const list = Array.isArray(value)
  const inner = `${newline}  `
  let separator = list ? '[' : '{'
  for (const [key, member] of Object.entries(value)) {
    yield separator + inner + (list ? '' : `${JSON.stringify(key)}: `)
    yield* membersOf(member, inner, depth - 1)
    separator = ','
  }
  yield newline + (list ? ']' : '}')
}

function replaceFile(path: string, pieces: Iterable<string>): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    const file = openSync(temporary, 'w')
    try {
      let pending = ''
      for (const piece of pieces) {
        pending += piece
        if (pending.length < CHUNK_CHARACTERS) continue
        writeAll(file, pending)
        pending = ''
      }
      writeAll(file, pending)
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
