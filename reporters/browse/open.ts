import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir as temporaryDir } from 'tmp-promise'
import { startVitest, type Vitest } from 'vitest/node'
import type { StoredRun } from './runs.ts'

const HOST = '127.0.0.1'
const REPLAY = fileURLToPath(new URL('replay.ts', import.meta.url))

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
  // A stored attempt that failed is no failure to show it.
  process.exitCode = 0
}
