import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Replaces a file so that a reader sees the old content or the new, whatever happens in between. */
export function writeFileAtomically(path: string, content: string): void {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    const fd = openSync(temporary, 'wx', 0o644)
    try {
      writeFileSync(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
