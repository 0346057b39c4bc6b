import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Python's caches and a repository's history are no content. */
const NO_CONTENT = /(?:^|\/)(?:__pycache__|\.git)(?:\/|$)/

/** A file, or the regular files below a folder, sorted; links are not followed. None where nothing is. */
export function filesBelow(root: string): string[] {
  const stat = statSync(root, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat ? [root] : []
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !NO_CONTENT.test(relative(root, file)))
    .sort()
}

/** SHA-256 over the files below each root, in that order, with their paths relative to `base`. */
export function filesDigest(roots: readonly string[], base: string): string {
  const hash = createHash('sha256')
  for (const file of roots.flatMap(filesBelow))
    hash
      .update(`${relative(base, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}
