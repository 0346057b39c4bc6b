import { readdir, readlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 10

/** Living processes of a pid namespace, by the namespace's inode number. */
export async function countProcesses(namespace: number): Promise<number> {
  const wanted = `pid:[${namespace}]`
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const links = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/ns/pid`).catch(() => null)))
  return links.filter((link) => link === wanted).length
}

/** Waits until a pid namespace is empty, at most `ms`. Resolves with how many processes are left. */
export async function countSurvivors(namespace: number, ms: number): Promise<number> {
  const deadline = Date.now() + ms
  for (;;) {
    const count = await countProcesses(namespace)
    if (count === 0 || Date.now() >= deadline) return count
    await sleep(POLL_MS)
  }
}
