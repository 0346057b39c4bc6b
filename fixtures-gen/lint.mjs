// Lints and format-checks the project's Python with ruff: `node fixtures-gen/lint.mjs [--write] [PATH…]`.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PositionEncoding, Workspace } from '@astral-sh/ruff-wasm-nodejs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const OURS = /^(?:fixtures-gen\/.*|tasks\/[^/]+\/(?:seed|judge|service[^/]*)|tasks\/[^/]+\/reference\/.*)\.py$/
const SETTINGS = {
  'line-length': 110,
  'target-version': 'py312',
  lint: {
    select: ['E', 'F', 'W', 'I', 'B', 'UP', 'SIM', 'C4', 'RET', 'PIE', 'PLE'],
    ignore: ['B008', 'E741', 'SIM905'],
  },
  format: { 'line-ending': 'lf' },
}

const write = process.argv.includes('--write')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const folders = ['fixtures-gen', 'tasks'].map((folder) => resolve(ROOT, folder))
const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })))
const files = entries
  .flat()
  .filter((entry) => entry.isFile())
  .map((entry) => relative(ROOT, resolve(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((file) => OURS.test(file))
  .filter((file) => wanted.length === 0 || wanted.some((path) => isBelow(file, path)))
  .sort()

const ruff = new Workspace(SETTINGS, PositionEncoding.Utf16)
const problems = []
for (const file of files) {
  const source = await readFile(resolve(ROOT, file), 'utf8')
  const formatted = formattedOrNull(file, write ? withSortedImports(source) : source)
  if (write && formatted !== null && formatted !== source) await writeFile(resolve(ROOT, file), formatted)
  if (!write && formatted !== null && formatted !== source) {
    problems.push(`${file}: not formatted; run node fixtures-gen/lint.mjs --write`)
  }
  for (const found of ruff.check(write && formatted !== null ? formatted : source)) {
    problems.push(`${file}:${found.start_location.row}:${found.start_location.column} ${found.code} ${found.message}`)
  }
}
for (const problem of problems) console.error(problem)
console.log(`ruff: ${files.length} Python files, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0

function isBelow(file, path) {
  const inside = relative(resolve(path), resolve(ROOT, file))
  return inside === '' || !inside.startsWith('..')
}

function formattedOrNull(file, source) {
  try {
    return ruff.format(source)
  } catch (error) {
    problems.push(`${file}: cannot be formatted: ${error}`)
    return null
  }
}

/** The one fix that is always safe to apply. */
function withSortedImports(source) {
  const order = ruff.check(source).find((found) => found.code === 'I001' && found.fix)
  if (!order) return source
  const lines = source.split('\n')
  const offset = ({ row, column }) =>
    lines.slice(0, row - 1).reduce((sum, line) => sum + line.length + 1, 0) + column - 1
  return order.fix.edits.reduceRight(
    (text, edit) => text.slice(0, offset(edit.location)) + (edit.content ?? '') + text.slice(offset(edit.end_location)),
    source,
  )
}
