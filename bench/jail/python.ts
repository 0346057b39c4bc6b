import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'

/** A Python 3.12 that has been run. */
export interface Python {
  /** Absolute path of the interpreter. */
  readonly path: string
  /** `3.12.N` */
  readonly version: string
  readonly prefix: string
}

/** No Python 3.12 on this machine; the message lists what was tried and what to install. */
export class PythonNotFound extends Error {
  override name = 'PythonNotFound'
}

/** Arguments with which every Python of the project is started: no environment, no site-packages. */
export const ISOLATED = ['-E', '-S'] as const

const PROBE = 'import sys; print(".".join(map(str, sys.version_info[:3])), sys.executable, sys.base_prefix, sep="\\n")'
const PROBE_MS = 10_000

/** Variables on which the search depends. */
const SEARCHED = ['RW30_PYTHON', 'PATH', 'HOME', 'PYENV_ROOT', 'UV_PYTHON_INSTALL_DIR', 'XDG_DATA_HOME']

const found = new Map<string, Promise<Python>>()

/**
 * Finds Python 3.12: `RW30_PYTHON`, then `python3.12` on PATH, then the versions of pyenv and uv. Each is run before it is
 * believed, as a shim on PATH may fail. The answer is kept for this process. Rejects with PythonNotFound.
 */
export function findPython(env: NodeJS.ProcessEnv = process.env): Promise<Python> {
  const key = JSON.stringify(SEARCHED.map((name) => env[name]))
  const known = found.get(key)
  if (known !== undefined) return known
  const search = look(env)
  found.set(key, search)
  search.catch(() => found.delete(key))
  return search
}

async function look(env: NodeJS.ProcessEnv): Promise<Python> {
  const tried: string[] = []
  for (const { file, from } of await candidates(env)) {
    const answer = await probe(file, env)
    if (typeof answer !== 'string') return answer
    tried.push(`  ${file} (${from}): ${answer}`)
    if (from === 'RW30_PYTHON') break
  }
  throw new PythonNotFound(
    [
      'Python 3.12 was not found. Tried:',
      ...tried,
      'Install it (`uv python install 3.12`, `pyenv install 3.12`, or your distribution’s python3.12 package), or set',
      'RW30_PYTHON to the path of a Python 3.12.',
    ].join('\n'),
  )
}

async function candidates(env: NodeJS.ProcessEnv): Promise<{ file: string; from: string }[]> {
  const configured = env.RW30_PYTHON
  if (configured) return [{ file: configured, from: 'RW30_PYTHON' }]
  const home = env.HOME ?? homedir()
  const pyenv = path.join(env.PYENV_ROOT ?? path.join(home, '.pyenv'), 'versions')
  const uv = env.UV_PYTHON_INSTALL_DIR ?? path.join(env.XDG_DATA_HOME ?? path.join(home, '.local/share'), 'uv/python')
  return [
    { file: 'python3.12', from: 'PATH' },
    ...(await versions(pyenv, '3.12.', 'pyenv')),
    ...(await versions(uv, 'cpython-3.12', 'uv')),
  ]
}

/** Interpreters below `folder` whose version folder starts with `prefix`, newest first. */
async function versions(folder: string, prefix: string, from: string) {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => ({ file: path.join(folder, name, 'bin/python3.12'), from }))
}

async function probe(file: string, env: NodeJS.ProcessEnv): Promise<Python | string> {
  const run = await execa(file, [...ISOLATED, '-c', PROBE], { env, extendEnv: false, reject: false, timeout: PROBE_MS })
  if (run.failed) return (run.stderr || run.originalMessage || run.shortMessage || 'failed').trim().split('\n')[0]!
  const [version, executable, prefix] = run.stdout.trim().split('\n')
  if (!version?.startsWith('3.12.')) return `is Python ${version ?? '?'}`
  if (!executable || !prefix) return 'did not say where it lies'
  return { path: executable, version, prefix }
}
