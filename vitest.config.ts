import { defineConfig } from 'vitest/config'
import { resolveConfig } from './bench/config.ts'
import { alwaysReport } from './bench/vitest/always-report.ts'
import { gracefulInterrupt } from './bench/vitest/interrupt.ts'
import { LongestFirst } from './bench/vitest/sequencer.ts'
import { taskFiles } from './bench/vitest/task-files.ts'
import userConfig from './rw30.config.ts'

const { workers } = resolveConfig(userConfig)

/** A task folder is a test file; what is done with it depends on the project. */
const TASK_FOLDERS = ['tasks/*/scenario.json']
const definition = (file: string) => new URL(`./bench/vitest/${file}`, import.meta.url)

export default defineConfig({
  test: {
    // Money is spent only on purpose: nothing is run again because a file changed.
    watch: false,
    forceRerunTriggers: [],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [
          taskFiles(definition('task-tests.ts')),
          gracefulInterrupt(),
          alwaysReport(new URL('./reporters/reporter.ts', import.meta.url)),
        ],
        test: {
          name: 'rw30',
          include: TASK_FOLDERS,
          globalSetup: './bench/vitest/global-setup.ts',
          maxWorkers: workers,
          sequence: { groupOrder: 3 },
          retry: 0,
        },
      },
      {
        plugins: [taskFiles(definition('corpus-tests.ts'))],
        // More cases at a time than a small machine has cores: a case waits for jails to open, and some for servers.
        test: { name: 'corpus', include: TASK_FOLDERS, maxConcurrency: 4, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.system.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/**/*.system.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
