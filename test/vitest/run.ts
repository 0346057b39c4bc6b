import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** Waits for a condition; throws what was waited for when it does not come. */
export async function until(what: string, seconds: number, condition: () => boolean): Promise<void> {
  for (let passed = 0; !condition(); passed += 0.1) {
    if (passed > seconds) throw new Error(`waited ${seconds} s for ${what}`)
    await sleep(100)
  }
}

/** All processes below one, by process number. */
export function descendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name)) {
      const stat = quietly(() => readFileSync(`/proc/${name}/stat`, 'utf8'))
      const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
      if (parent) parents.set(Number(name), Number(parent))
    }
  const found: number[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const [child, parent] of parents)
      if (parent === next) {
        found.push(child)
        queue.push(child)
      }
  return found
}

/** What a process was started with, separated by blanks; empty when it is gone. */
export const commandLine = (pid: number): string =>
  quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? ''

/** Whether a process is there and is no zombie. */
export function alive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}`)) return false
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat !== undefined && stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
}

function quietly<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
