import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { dir } from 'tmp-promise'
import { cacheDir } from '../paths.ts'
import { pidNamespace, processLives } from './owner.ts'

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

/** `PID-NAMESPACE`: of which process a folder is, and whose process numbers those are. */
const ownName = (): string => `${process.pid}-${pidNamespace() ?? ''}`

/** Makes the folders; their name begins with this process's number. */
export async function makeScratch(): Promise<Scratch> {
  mkdirSync(attemptsDir(), { recursive: true })
  const { path: root } = await dir({ tmpdir: attemptsDir(), template: `${ownName()}-XXXXXX`, keep: true })
  const { path: sockets } = await dir({ template: `${SOCKET_PREFIX}${ownName()}-XXXXXX`, keep: true })
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

/**
 * Removes what killed processes left behind: folders whose process is no more, or, where nobody here can tell because they are of
 * another container, that are a day old. Never throws.
 */
export function sweepScratch(): void {
  for (const [parent, owner] of [
    [attemptsDir(), /^(\d+)-(\d*)-/],
    [tmpdir(), new RegExp(`^${SOCKET_PREFIX}(\\d+)-(\\d*)-`)],
  ] as const)
    for (const name of namesIn(parent)) {
      const [, pid = '0', namespace = ''] = owner.exec(name) ?? []
      if (Number(pid) === 0) continue
      const gone = namespace === (pidNamespace() ?? '') ? !processLives(Number(pid)) : isOld(join(parent, name))
      if (gone) execaSync('rm', removal(join(parent, name)), { reject: false })
    }
}

const DAY_MS = 24 * 3_600_000

function isOld(folder: string): boolean {
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  return made !== undefined && Date.now() - made > DAY_MS
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
