import { rename, writeFile } from 'node:fs/promises'

/** Writes JSON so that a reader never sees half of it: a file beside the target, then a rename. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.new`
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`)
  await rename(temporary, path)
}
