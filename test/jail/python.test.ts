import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findPython } from '../../bench/jail/python.ts'
import { folder } from './support/jails.ts'

/** A machine with an empty PATH and home, for the search to look at. */
async function machine() {
  const root = await folder()
  const bin = path.join(root, 'bin')
  await mkdir(bin)
  await symlink('/bin/sh', path.join(bin, 'sh'))
  return { root, bin, env: { PATH: bin, HOME: root } }
}

async function program(file: string, script: string) {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
}

const answers = (version: string, file: string) => `printf '%s\\n' ${version} ${file} /prefix`

test('the Python of this machine is found, by its own path', async () => {
  const python = await findPython()
  expect(python.version).toMatch(/^3\.12\.\d+$/)
  expect(path.isAbsolute(python.path)).toBe(true)
})

test('RW30_PYTHON comes before PATH', async () => {
  const { root, bin, env } = await machine()
  await program(path.join(bin, 'python3.12'), answers('3.12.1', '/on-path'))
  await program(path.join(root, 'mine'), answers('3.12.9', '/mine'))
  expect(await findPython(env)).toEqual({ path: '/on-path', version: '3.12.1', prefix: '/prefix' })
  expect(await findPython({ ...env, RW30_PYTHON: path.join(root, 'mine') })).toMatchObject({ path: '/mine' })
})

test('a shim that fails is passed over for the newest version of pyenv, then of uv', async () => {
  const { root, bin, env } = await machine()
  await program(path.join(bin, 'python3.12'), 'echo "pyenv: python3.12: command not found" >&2; exit 127')
  const uv = path.join(root, '.local/share/uv/python/cpython-3.12.8-linux-x86_64-gnu/bin/python3.12')
  await program(uv, answers('3.12.8', '/uv'))
  expect(await findPython(env)).toMatchObject({ path: '/uv' })
  for (const patch of ['3.12.9', '3.12.10']) {
    await program(path.join(root, `.pyenv/versions/${patch}/bin/python3.12`), answers(patch, `/pyenv-${patch}`))
  }
  await program(path.join(root, '.pyenv/versions/3.13.1/bin/python3.12'), answers('3.13.1', '/wrong'))
  expect(await findPython({ ...env, PYENV_ROOT: path.join(root, '.pyenv') })).toMatchObject({ path: '/pyenv-3.12.10' })
})

test('without a Python 3.12 the error lists what was tried, with its answer, and what to install', async () => {
  const { root, bin, env } = await machine()
  await program(path.join(bin, 'python3.12'), 'echo "pyenv: python3.12: command not found" >&2; exit 127')
  await program(path.join(root, '.pyenv/versions/3.12.3/bin/python3.12'), answers('3.11.2', '/odd'))
  const error = await findPython(env).catch((reason: Error) => reason)
  expect(String(error)).toBe(
    `PythonNotFound: Python 3.12 was not found. Tried:
  python3.12 (PATH): pyenv: python3.12: command not found
  ${root}/.pyenv/versions/3.12.3/bin/python3.12 (pyenv): is Python 3.11.2
Install it (\`uv python install 3.12\`, \`pyenv install 3.12\`, or your distribution’s python3.12 package), or set
RW30_PYTHON to the path of a Python 3.12.`,
  )
})

test('an RW30_PYTHON that does not work is an error, whatever else there is', async () => {
  const { bin, env } = await machine()
  await program(path.join(bin, 'python3.12'), answers('3.12.1', '/on-path'))
  await expect(findPython({ ...env, RW30_PYTHON: '/no/such/python' })).rejects.toThrow('/no/such/python (RW30_PYTHON)')
})
