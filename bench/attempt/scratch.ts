import { mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { dir } from 'tmp-promise'
import { cacheDir } from '../paths.ts'
import { processLives } from './owner.ts'

/** The private folders of one attempt, gone after it. */
export interface Scratch {
  /** On the disk of the fixture cache, so that inputs can be hard links. */
  workspace: string
  home: string
  /** Beside the workspace and never shown in a jail: what was in the way of a later stage's files. */
  aside: string
  /** In the system's temporary folder: its path must be short. */
  socket: string
  /** Never rejects: what an agent left, however deep, must not decide how its attempt ends. Again: the same promise. */
  remove(): Promise<void>
}

const SOCKET_PREFIX = 'rw30-'

/** A folder of its own: judges sweep theirs by other rules. */
const attemptsDir = (): string => join(cacheDir(), 'attempts')

/** Makes the folders; their name begins with this process's number. */
export async function makeScratch(): Promise<Scratch> {
  mkdirSync(attemptsDir(), { recursive: true })
  const { path: root } = await dir({ tmpdir: attemptsDir(), template: `${process.pid}-XXXXXX`, keep: true })
  const { path: sockets } = await dir({ template: `${SOCKET_PREFIX}${process.pid}-XXXXXX`, keep: true })
  let removed: Promise<void> | null = null
  const scratch = {
    workspace: join(root, 'workspace'),
    home: join(root, 'home'),
    aside: join(root, 'aside'),
    socket: join(sockets, 'gateway.sock'),
    remove: () => {
      removed ??= execa('rm', removal(root, sockets), { reject: false }).then(() => {})
      return removed
    },
  }
  for (const folder of [scratch.workspace, scratch.home, scratch.aside]) mkdirSync(folder)
  return scratch
}

/** Removes what killed processes left behind: folders whose process is no more. Never throws. */
export function sweepScratch(): void {
  for (const [parent, owner] of [
    [attemptsDir(), /^(\d+)-/],
    [tmpdir(), new RegExp(`^${SOCKET_PREFIX}(\\d+)-`)],
  ] as const)
    for (const name of namesIn(parent)) {
      const pid = Number(owner.exec(name)?.[1] ?? 0)
      if (pid > 0 && !processLives(pid)) execaSync('rm', removal(join(parent, name)), { reject: false })
    }
}

/** rm walks by open folders: paths longer than a system call takes, and links, do not lead it astray. */
const removal = (...paths: string[]): string[] => ['-rf', '--one-file-system', '--', ...paths]

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
