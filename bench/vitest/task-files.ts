import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

/** Matches the file that stands for a task folder. */
const SCENARIO = /\/tasks\/\d\d-[a-z0-9-]+\/scenario\.json$/

/**
 * Makes task folders test files: `tasks/NN-slug/scenario.json` becomes a module that defines the folder's tests.
 * `definition` is a module (a URL) whose `define(folder)` does so.
 */
export function taskFiles(definition: URL): Plugin {
  return {
    name: 'rw30:task-files',
    enforce: 'pre',
    transform: {
      order: 'pre',
      filter: { id: SCENARIO },
      handler(_code, id) {
        const code = [
          `import { define } from ${JSON.stringify(fileURLToPath(definition))}`,
          `await define(${JSON.stringify(dirname(id))})`,
        ].join('\n')
        return { code, map: null, moduleType: 'js' }
      },
    },
  }
}
