import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

/** Keeps a reporter beside those that `--reporter` asks for: a run for JUnit writes its summary all the same. */
export function alwaysReport(reporter: URL): Plugin {
  const path = fileURLToPath(reporter)
  return {
    name: 'rw30:always-report',
    configureVitest({ vitest }) {
      const { reporters } = vitest.config
      if (!reporters.some((entry) => Array.isArray(entry) && entry[0] === path)) reporters.push([path, {}])
    },
  }
}
