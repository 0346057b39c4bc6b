import { readFileSync } from 'node:fs'

/** The machine's boot, so that a process number is not mistaken for one from before a restart; null where unknown. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

/** Who works on an attempt: a process, and the boot of the machine that its number belongs to. */
export interface Owner {
  pid: number
  boot_id: string | null
}

/** Whether the process that owns something still lives. */
export const ownerLives = (owner: Owner): boolean =>
  (owner.boot_id === null || owner.boot_id === bootId()) && processLives(owner.pid)

/** Whether there is a process of this number, whoever it belongs to. */
export function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
