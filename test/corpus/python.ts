import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { dir } from 'tmp-promise'
import { findPython, ISOLATED } from '../../bench/jail/python.ts'
import { FIXTURES_GEN } from '../../bench/paths.ts'

/** Runs Python code with benchlib importable; `args` are sys.argv[1:]. Rejects when it exits with anything but 0. */
export async function python(code: string, args: string[] = [], env: Record<string, string> = {}): Promise<string> {
  const { path } = await findPython()
  const set_up = `import sys\nsys.path.insert(0, ${JSON.stringify(FIXTURES_GEN)})\n`
  const { stdout } = await execa(path, ['-S', '-B', '-c', set_up + code, ...args], { env })
  return stdout
}

/** Runs one of the project's Python commands; never rejects because of its exit status. */
export async function command(script: string, args: string[], env: Record<string, string> = {}, input = '') {
  const { path } = await findPython()
  return execa(path, [...ISOLATED, '-B', script, ...args], { env, input, reject: false })
}

/** A temporary folder with these files, removed by `cleanup`. */
export async function folderWith(
  files: Record<string, string>,
): Promise<{ path: string; cleanup: () => Promise<void> }> {
  const { path, cleanup } = await dir({ unsafeCleanup: true })
  await writeFiles(path, files)
  return { path, cleanup }
}

/** Writes files below a folder, parents included. */
export async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
}
