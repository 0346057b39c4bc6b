import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

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
