import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface StoredRun {
  readonly id: string
  /** `<results>/<run id>`, absolute. */
  readonly dir: string
  readonly tasks: readonly string[]
}

/** The run and its task folders. Throws, naming the runs that are known, when there is no such run or it has no attempt. */
export function storedTasks(results: string, runId: string | undefined): StoredRun {
  const runs = subfolders(results).filter((name) => taskFolders(join(results, name)).length > 0)
  if (runId !== undefined && runs.includes(runId)) {
    const dir = join(results, runId)
    return { id: runId, dir, tasks: taskFolders(dir) }
  }
  const wanted = runId === undefined ? 'Which run?' : `No run "${runId}" with attempts in ${results}.`
  throw new Error(`${wanted} ${runs.length === 0 ? `There are none in ${results}.` : `Known: ${runs.join(', ')}`}`)
}

function taskFolders(runDir: string): string[] {
  return subfolders(runDir).filter((name) => /^\d\d-/.test(name))
}

/** Names of the folders in `dir`, sorted; none where it does not exist. */
export function subfolders(dir: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}
