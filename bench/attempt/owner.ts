import { readFileSync, readlinkSync } from 'node:fs'
import { z } from 'zod'

/** The machine's boot, so that a process number is not mistaken for one from before a restart; null where unknown. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

/** The namespace that this process's number belongs to, its inode in digits: containers of one machine have one each. */
export function pidNamespace(): string | null {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? null
  } catch {
    return null
  }
}

/** Who works on an attempt: a process, and the boot and the namespace that its number belongs to. */
export const OwnerSchema = z.strictObject({
  pid: z.int().positive(),
  boot_id: z.string().nullable(),
  pid_namespace: z.string().nullable().default(null),
})
export type Owner = z.infer<typeof OwnerSchema>

/** This process as an owner. */
export const thisOwner = (): Owner => ({ pid: process.pid, boot_id: bootId(), pid_namespace: pidNamespace() })

/** Whether an owner's process is one of another container of this machine: nobody here can see whether it lives. */
export const isElsewhere = ({ boot_id, pid_namespace }: Owner): boolean =>
  boot_id === bootId() && pid_namespace !== null && pid_namespace !== pidNamespace()

/** Whether the process that owns something is seen to live. */
export const ownerLives = (owner: Owner): boolean =>
  !isElsewhere(owner) && (owner.boot_id === null || owner.boot_id === bootId()) && processLives(owner.pid)

/** Whether there is a process of this number, whoever it belongs to. */
export function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
