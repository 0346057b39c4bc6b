import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { z } from 'zod'
import type { Task } from '../corpus/scenario.ts'
import { cacheDir, FIXTURES_GEN } from '../paths.ts'

/** A snapshot keeps no more than this of what an agent left; what is beyond is named in the record. */
export const SNAPSHOT_LIMITS = { bytes: 512 * 2 ** 20, files: 20_000 }

const FIXTURE_TIMEOUT_MS = 10 * 60_000
const CleanFixtureSchema = z.object({ stages: z.record(z.string(), z.string()) })

/** Stage id -> read-only folder with everything that the stage brings; made once for each content of the task. */
export type CleanFixture = Record<string, string>

const asked = new Map<string, Promise<CleanFixture>>()

/**
 * The clean main fixture of a task; the first time it is generated, then found in the cache. Asked of Python once in a process:
 * a run's corpus is frozen, and the arms of a pair need the same.
 */
export function cleanFixture(task: Task, python: string, scale: string): Promise<CleanFixture> {
  const key = JSON.stringify([task.dir, scale, cacheDir()])
  const fixture = asked.get(key) ?? askForFixture(task, python, scale)
  asked.set(key, fixture)
  fixture.catch(() => asked.delete(key))
  return fixture
}

async function askForFixture(task: Task, python: string, scale: string): Promise<CleanFixture> {
  const command = [join(FIXTURES_GEN, 'fixture.py'), 'clean', '--task', task.dir, '--fixture', 'main', '--scale', scale]
  const { stdout } = await execa(python, ['-E', '-S', ...command], { timeout: FIXTURE_TIMEOUT_MS })
  return CleanFixtureSchema.parse(JSON.parse(stdout)).stages
}

/** The workspace of one attempt: inputs are hard links into the cache, what lies under an editable path is a copy. */
export class Workspace {
  constructor(
    readonly root: string,
    private readonly editable: readonly string[],
    private readonly fixture: CleanFixture,
  ) {
    mkdirSync(root, { recursive: true })
    for (const path of editable) mkdirSync(join(root, path), { recursive: true })
  }

  /**
   * Adds a stage's files while the agent is idle. The agent may have put links where they belong: no link is followed,
   * what is in the way is replaced.
   */
  inject(stage: string): void {
    const source = this.fixture[stage]
    if (source === undefined) throw new Error(`the fixture has no stage ${stage}`)
    for (const path of filesOf(source)) {
      const from = join(source, path)
      if (this.editable.some((folder) => path.startsWith(folder)))
        this.#place(path, (to) => copyFileSync(from, to, constants.COPYFILE_EXCL), 0o644)
      else this.#place(path, (to) => linkOrCopy(from, to), null)
    }
  }

  /** Puts a file at a path below the root, opening folder by folder without following links. */
  #place(path: string, put: (to: string) => void, mode: number | null): void {
    const parts = path.split('/')
    const name = parts.pop()!
    let folder = openSync(this.root, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      for (const part of parts) {
        const next = openFolder(`/proc/self/fd/${folder}/${part}`)
        closeSync(folder)
        folder = next
      }
      const to = `/proc/self/fd/${folder}/${name}`
      rmSync(to, { recursive: true, force: true })
      put(to)
      if (mode !== null) chmodSync(to, mode)
    } finally {
      closeSync(folder)
    }
  }

  /** Copies the editable paths to `target`, links and special files left out; returns what was left out and why. */
  snapshot(target: string): string[] {
    const leftOut: string[] = []
    let bytes = 0
    let files = 0
    for (const folder of this.editable) {
      const top = join(this.root, folder)
      mkdirSync(join(target, folder), { recursive: true })
      for (const { path, kind, size } of entriesOf(top)) {
        if (/(?:^|\/)__pycache__(?:\/|$)/.test(path)) continue
        if (kind !== 'file') leftOut.push(`${folder}${path}: a ${kind}, left out`)
        else if (files >= SNAPSHOT_LIMITS.files) leftOut.push(`${folder}${path}: beyond ${SNAPSHOT_LIMITS.files} files`)
        else if (bytes + size > SNAPSHOT_LIMITS.bytes)
          leftOut.push(`${folder}${path}: beyond ${SNAPSHOT_LIMITS.bytes} bytes`)
        else {
          const to = join(target, folder, path)
          mkdirSync(dirname(to), { recursive: true })
          chmodSync(join(top, path), 0o644)
          copyFileSync(join(top, path), to, constants.COPYFILE_FICLONE)
          files += 1
          bytes += size
        }
      }
    }
    return leftOut
  }
}

function openFolder(path: string): number {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    return openSync(path, flags)
  } catch {
    unlinkSync(path)
    mkdirSync(path)
    return openSync(path, flags)
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}

function filesOf(root: string): string[] {
  return [...entriesOf(root)].filter((entry) => entry.kind === 'file').map((entry) => entry.path)
}

/** What lies below a folder, links not followed; unreadable folders are opened up first, since their owner may be the agent. */
function* entriesOf(
  root: string,
  below = '',
): Generator<{ path: string; kind: 'file' | 'link' | 'special file'; size: number }> {
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below ? `${below}/${name}` : name
    const stat = lstatSync(join(root, path))
    if (stat.isDirectory()) {
      if ((stat.mode & 0o700) !== 0o700) chmodSync(join(root, path), 0o755)
      yield* entriesOf(root, path)
    } else
      yield { path, kind: stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'special file', size: stat.size }
  }
}
