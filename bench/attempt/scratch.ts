import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { cacheDir } from '../paths.ts'

/** The private folders of one attempt, gone after it. */
export interface Scratch {
  /** On the disk of the fixture cache, so that inputs can be hard links. */
  workspace: string
  home: string
  /** In the system's temporary folder: its path must be short. */
  socket: string
  remove(): Promise<void>
}

const workDir = (): string => join(cacheDir(), 'work')

/** Makes the folders; their name begins with this process's number. */
export async function makeScratch(): Promise<Scratch> {
  mkdirSync(workDir(), { recursive: true })
  const work = await dir({ tmpdir: workDir(), template: `${process.pid}-XXXXXX`, unsafeCleanup: true })
  const sockets = await dir({ prefix: 'rw30-', unsafeCleanup: true })
  const scratch = {
    workspace: join(work.path, 'workspace'),
    home: join(work.path, 'home'),
    socket: join(sockets.path, 'gateway.sock'),
    remove: async () => {
      await work.cleanup()
      await sockets.cleanup()
    },
  }
  mkdirSync(scratch.workspace)
  mkdirSync(scratch.home)
  return scratch
}

/** Removes what killed processes left behind: folders whose process is no more. */
export function sweepScratch(): void {
  let names: string[] = []
  try {
    names = readdirSync(workDir())
  } catch {
    return
  }
  for (const name of names) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0)
    if (pid > 0 && !lives(pid)) rmSync(join(workDir(), name), { recursive: true, force: true })
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
