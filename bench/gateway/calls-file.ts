import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { z } from 'zod'
import { type ModelCall, ModelCallSchema } from './call.ts'

/** Appends calls to model-calls.jsonl (made when it is not there), each as one whole line in one write. */
export function callsWriter(file: string): (call: ModelCall) => void {
  // A line that a killed process left torn must not swallow the next one.
  appendFileSync(file, endsTorn(file) ? '\n' : '')
  return (call) => appendFileSync(file, `${JSON.stringify(call)}\n`)
}

/** Whether a file has a last line without its newline. */
function endsTorn(file: string): boolean {
  if (!existsSync(file)) return false
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    const last = Buffer.alloc(1)
    return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10
  } finally {
    closeSync(fd)
  }
}

/**
 * Reads model-calls.jsonl. A line that is no JSON was torn when its writer was killed: it is skipped and counted.
 * A file that is not there has no calls. Throws an error that lists the lines that are JSON but no model call.
 */
export function readModelCalls(file: string): { calls: ModelCall[]; torn: number } {
  const calls: ModelCall[] = []
  const problems: string[] = []
  let torn = 0
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      torn += 1
      continue
    }
    const parsed = ModelCallSchema.safeParse(value)
    if (parsed.success) calls.push(parsed.data)
    else problems.push(`line ${index + 1}: ${z.prettifyError(parsed.error)}`)
  }
  if (problems.length > 0) throw new Error(`${file} holds lines that are no model calls:\n${problems.join('\n')}`)
  return { calls, torn }
}
