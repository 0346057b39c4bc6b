import { chmod, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkJail } from '../../bench/jail/jail.ts'
import { findPython } from '../../bench/jail/python.ts'
import { folder, open } from './support/jails.ts'

/** An empty cache for this test. */
async function emptyCache() {
  vi.stubEnv('RW30_PYTHON', (await findPython()).path)
  const root = await folder()
  vi.stubEnv('RW30_CACHE', path.join(root, 'cache'))
  onTestFinished(() => void vi.unstubAllEnvs())
  return root
}

/** An empty cache, and a bwrap of the test's own (or none) first on PATH. */
async function withBwrap(script: string | null) {
  const root = await emptyCache()
  const bin = path.join(root, 'bin')
  await mkdir(bin)
  if (script !== null) {
    await writeFile(path.join(bin, 'bwrap'), `#!/bin/sh\n${script}\n`)
    await chmod(path.join(bin, 'bwrap'), 0o755)
  }
  vi.stubEnv('PATH', script === null ? bin : `${bin}:${process.env.PATH}`)
}

test('the check opens a real jail', async () => {
  expect(await checkJail()).toMatch(/^a jail opens in \d+\.\d\d s and runs Python 3\.12\.\d+$/)
})

test('where user namespaces are forbidden, the check and an attempt say how to allow them', async () => {
  await withBwrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')
  for (const failure of [checkJail(), open(['true'])]) {
    const message = String(await failure.catch((error: Error) => error))
    expect(message).toContain('JailUnavailable')
    expect(message).toContain('bwrap says: bwrap: setting up uid map: Permission denied')
    expect(message).toContain('sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0')
  }
})

test('where only the jail inside a jail is forbidden, the check says so too', async () => {
  // The image's copy of bwrap is the one that starts inside; the outer one is real.
  await withBwrap(
    'case $* in *warden.py*) exec /usr/bin/bwrap "$@" ;; esac; echo "bwrap: No permissions to create new namespace" >&2; exit 1',
  )
  await expect(checkJail()).rejects.toThrow('sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0')
  const jail = await open(['true'])
  expect((await jail.ended).failure).toContain('bwrap: No permissions to create new namespace')
})

test('without bwrap the check says what to install', async () => {
  await withBwrap(null)
  await expect(checkJail()).rejects.toThrow('bwrap is not on PATH. Install bubblewrap')
})

test('an image that another process was killed while building is never used', async () => {
  const root = await emptyCache()
  await mkdir(path.join(root, 'cache/jail/.image-half/root'), { recursive: true })
  await symlink('nowhere', path.join(root, 'cache/jail/.image-half/root/bin'))
  await mkdir(path.join(root, 'cache/jail/.image-old'))
  await utimes(path.join(root, 'cache/jail/.image-old'), 0, 0)
  const outcomes = await Promise.all([checkJail(), checkJail(), checkJail()])
  expect(outcomes).toHaveLength(3)
  const images = (await readdir(path.join(root, 'cache/jail'))).sort()
  expect(images).toEqual(['.image-half', expect.stringMatching(/^image-[0-9a-f]{16}$/)])
})
