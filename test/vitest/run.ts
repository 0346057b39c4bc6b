import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { attemptDir, readRecord } from '../../bench/attempt/record-store.ts'
import { REPO } from '../../bench/paths.ts'

const VITEST = join(REPO, 'node_modules/vitest/vitest.mjs')

export interface Run {
  child: ChildProcess
  output: () => string
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Starts the real command line in a process group of its own, over small fixtures, into `results`. */
export function startRun(results: string, args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [VITEST, ...args], {
    cwd: REPO,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...withoutVitest(process.env), RW30_RESULTS: results, RW30_SCALE: 'small', NO_COLOR: '1', ...env },
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, output: () => output, exited }
}

/** The same, to its end; the output is part of the error when it does not exit with `code`. */
export async function run(
  results: string,
  args: string[],
  env: Record<string, string> = {},
  code = 0,
): Promise<string> {
  const started = startRun(results, args, env)
  const end = await started.exited
  if (end.code !== code)
    throw new Error(`vitest ${args.join(' ')} ended with ${end.code ?? end.signal}:\n${started.output()}`)
  return started.output()
}

/** A test that runs vitest must not hand its own vitest's variables on. */
function withoutVitest(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !/^(VITEST|TEST|RW30_|NODE_ENV|DEV|PROD|MODE|SSR|BASE_URL)/.test(name),
  )
  return Object.fromEntries(kept) as Record<string, string>
}

export const recordOf = (
  results: string,
  runId: string,
  task: string,
  arm: string,
  attempt = 1,
): AttemptRecord | null => readRecord(attemptDir(join(results, runId), task, arm, attempt))
