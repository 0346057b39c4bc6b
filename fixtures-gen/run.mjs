// Runs one of this folder's Python commands with the Python that the bench uses: `node fixtures-gen/run.mjs prove.py …`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const { findPython, ISOLATED } = await tsImport('../bench/jail/python.ts', import.meta.url)
const [script, ...args] = process.argv.slice(2)
try {
  const python = await findPython()
  const path = fileURLToPath(new URL(script, import.meta.url))
  process.exitCode = spawnSync(python.path, [...ISOLATED, path, ...args], { stdio: 'inherit' }).status ?? 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
