// `npm run fixture -- 13 --out DIR [--fixture main|twin|edge] [--stage ID] [--scale full|small]`: a workspace by hand.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const { findPython, ISOLATED } = await tsImport('../bench/jail/python.ts', import.meta.url)
try {
  const python = await findPython()
  const script = fileURLToPath(new URL('./fixture.py', import.meta.url))
  const done = spawnSync(python.path, [...ISOLATED, script, 'workspace', ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = done.status ?? 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
