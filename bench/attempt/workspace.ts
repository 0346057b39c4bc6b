import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { execa } from 'execa'
import { z } from 'zod'
import type { Task } from '../corpus/scenario.ts'
import { ISOLATED } from '../jail/python.ts'
import { cacheDir, FIXTURES_GEN } from '../paths.ts'

/** A snapshot keeps no more than this of each editable path; what is beyond is named in the record. */
export const SNAPSHOT_LIMITS = { bytes: 512 * 2 ** 20, files: 20_000, entries: 40_000, depth: 64, named: 50 }

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
  const command = [join(FIXTURES_GEN, 'fixture.py'), 'clean', task.dir, '--fixture', 'main', '--scale', scale]
  const { stdout } = await execa(python, [...ISOLATED, ...command], { timeout: FIXTURE_TIMEOUT_MS })
  return CleanFixtureSchema.parse(JSON.parse(stdout)).stages
}

/** The workspace of one attempt: inputs are hard links into the cache, what lies under an editable path is a copy. */
export class Workspace {
  #moved = 0

  constructor(
    readonly root: string,
    private readonly editable: readonly string[],
    private readonly fixture: CleanFixture,
    /** Folder on the same disk, not shown in the jail: what is in the way of an injected file is moved there. */
    private readonly aside: string,
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
    for (const [folder, names] of filesByFolder(source)) {
      const editable = this.editable.some((path) => `${folder}/`.startsWith(path))
      const put = editable ? writeCopy : linkOrCopy
      const opened = this.#openBelow(folder)
      try {
        for (const name of names) this.#put(join(source, folder, name), `/proc/self/fd/${opened}/${name}`, put)
      } finally {
        closeSync(opened)
      }
    }
  }

  /**
   * A folder below the root, opened one by one without following links. The agent's processes may live and exchange what lies
   * there at any moment: nothing is deleted, changed or read through a path, only moved aside.
   */
  #openBelow(path: string): number {
    let folder = openSync(this.root, FOLDER)
    for (const part of path.split('/').filter(Boolean))
      try {
        const next = this.#openFolder(`/proc/self/fd/${folder}/${part}`)
        closeSync(folder)
        folder = next
      } catch (error) {
        closeSync(folder)
        throw error
      }
    return folder
  }

  #put(from: string, to: string, put: (from: string, to: string) => void): void {
    for (let tries = 0; ; tries++)
      try {
        put(from, to)
        return
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries >= MOVES_ASIDE) throw error
        this.#moveAside(to)
      }
  }

  #openFolder(path: string): number {
    for (let tries = 0; ; tries++) {
      try {
        mkdirSync(path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      try {
        return openSync(path, FOLDER)
      } catch (error) {
        if (tries >= MOVES_ASIDE) throw error
        this.#moveAside(path)
      }
    }
  }

  #moveAside(path: string): void {
    this.#moved += 1
    try {
      renameSync(path, join(this.aside, String(this.#moved)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  /**
   * Copies the editable paths to `target` after the agent's end, links and special files left out; returns what was left out
   * and why. Never throws because of what the agent left.
   */
  snapshot(target: string): string[] {
    const leftOut: string[] = []
    for (const folder of this.editable) {
      const top = join(this.root, folder)
      mkdirSync(join(target, folder), { recursive: true })
      const budget = { bytes: SNAPSHOT_LIMITS.bytes, files: SNAPSHOT_LIMITS.files }
      let entries = 0
      for (const entry of entriesOf(top)) {
        entries += 1
        if (entries > SNAPSHOT_LIMITS.entries) {
          leftOut.push(`${folder}: all beyond ${SNAPSHOT_LIMITS.entries} entries, left out`)
          break // the other arm's gateway waits meanwhile
        }
        if (/(?:^|\/)__pycache__(?:\/|$)/.test(entry.path)) continue
        const problem = entry.kind === 'file' ? copyWithin(budget, top, entry, join(target, folder)) : `a ${entry.kind}`
        if (problem) leftOut.push(`${folder}${entry.path}: ${problem}, left out`)
      }
    }
    if (leftOut.length <= SNAPSHOT_LIMITS.named) return leftOut
    return [...leftOut.slice(0, SNAPSHOT_LIMITS.named), `and ${leftOut.length - SNAPSHOT_LIMITS.named} more`]
  }
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** How often what is in the way of a folder is moved aside before the agent's processes win. */
const MOVES_ASIDE = 100

interface Entry {
  path: string
  kind:
    | 'file'
    | 'link'
    | 'special file'
    | 'name that is not UTF-8'
    | 'folder too deep'
    | 'folder that cannot be read'
    | 'name that cannot be read'
  size: number
}

/** Copies a file if the budget allows; returns why not. */
function copyWithin(
  budget: { bytes: number; files: number },
  top: string,
  { path, size }: Entry,
  target: string,
): string | null {
  if (budget.files < 1) return `beyond ${SNAPSHOT_LIMITS.files} files`
  if (budget.bytes < size) return `beyond ${SNAPSHOT_LIMITS.bytes} bytes`
  budget.files -= 1
  budget.bytes -= size
  try {
    const to = join(target, path)
    mkdirSync(dirname(to), { recursive: true })
    chmodSync(join(top, path), 0o644)
    copyFileSync(join(top, path), to, constants.COPYFILE_FICLONE)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    return (error as Error).message.split(',')[0]!
  }
}

/** Writes a new file with the content of another; fails when something is there already, a link included. */
function writeCopy(from: string, to: string): void {
  const fd = openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o644)
  try {
    writeFileSync(fd, readFileSync(from))
    fchmodSync(fd, 0o644)
  } finally {
    closeSync(fd)
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}

/** Names of the files below a folder of our own, by the path of their folder; that of the folder itself is ''. */
function filesByFolder(root: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const names = found.get(entry.parentPath) ?? []
    names.push(entry.name)
    found.set(entry.parentPath, names)
  }
  return new Map([...found].map(([folder, names]) => [relative(root, folder), names]))
}

/** What lies below a folder, links not followed; unreadable folders are opened up first, since their owner may be the agent. */
function* entriesOf(root: string, below = '', depth = 0): Generator<Entry> {
  let names: string[]
  try {
    names = readdirSync(join(root, below)).sort()
  } catch {
    yield { path: below, kind: 'folder that cannot be read', size: 0 }
    return
  }
  for (const name of names) {
    const path = below ? `${below}/${name}` : name
    if (name.includes('\ufffd')) {
      yield { path, kind: 'name that is not UTF-8', size: 0 }
      continue
    }
    const stat = statOf(join(root, path))
    if (!stat) {
      yield { path, kind: 'name that cannot be read', size: 0 }
      continue
    }
    if (!stat.isDirectory())
      yield { path, kind: stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'special file', size: stat.size }
    else if (depth >= SNAPSHOT_LIMITS.depth) yield { path, kind: 'folder too deep', size: 0 }
    else {
      if ((stat.mode & 0o700) !== 0o700) chmodSync(join(root, path), 0o755)
      yield* entriesOf(root, path, depth + 1)
    }
  }
}

/** lstat; null for what cannot be reached, such as a path longer than a system call takes. */
function statOf(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}
