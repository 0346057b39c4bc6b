import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir as temporaryDir } from 'tmp-promise'
import { startVitest, type Vitest } from 'vitest/node'

export const DEFAULT_PORT = 51_204
const HOST = '127.0.0.1'
const REPLAY = fileURLToPath(new URL('replay.ts', import.meta.url))

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

function subfolders(dir: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/**
 * Opens vitest's UI on a stored run and returns when it is closed. Its test files are made for the occasion, in a temporary
 * folder: one a task, whose tests replay the records. "Run" in the UI replays again.
 */
export async function openBrowser(run: StoredRun, port: number, open: boolean): Promise<void> {
  const { path: root, cleanup } = await temporaryDir({ prefix: 'rw30-browse-', unsafeCleanup: true })
  try {
    for (const task of run.tasks) writeFileSync(join(root, `${task}.ts`), replayFile(join(run.dir, task)))
    const vitest = await startVitest('test', [], {
      config: false,
      root,
      include: ['*.ts'],
      attachmentsDir: join(root, 'attachments'),
      forceRerunTriggers: [],
      watch: true,
      ui: true,
      open,
      api: { port, host: HOST, strictPort: true },
      reporters: [{}],
    })
    console.log(`Stored attempts of ${run.id}: http://${HOST}:${port}/__vitest__/\nNothing is run. Ctrl-C ends it.`)
    await closed(vitest)
  } finally {
    await cleanup()
  }
}

function replayFile(taskDir: string): string {
  return `import { replayTask } from ${JSON.stringify(REPLAY)}\n\nreplayTask(${JSON.stringify(taskDir)})\n`
}

/** Waits for a signal, then closes vitest. */
async function closed(vitest: Vitest): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal)
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  await vitest.close()
}
