import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { dir } from 'tmp-promise'
import { expect, it } from 'vitest'
import { PINNED_HOSTS } from '../../bench/hosts/definition.ts'

const cli = fileURLToPath(new URL('../../bench/hosts/cli.ts', import.meta.url))
const hosts = async (...args: string[]) => {
  const cache = await dir({ unsafeCleanup: true })
  const env = { RW30_CACHE: cache.path }
  const run = await execa('tsx', [cli, ...args], { env, preferLocal: true, reject: false })
  await cache.cleanup()
  return run
}

it('--check of hosts that are not there lists every one with the command that installs it', async () => {
  const { exitCode, stderr } = await hosts('--check')
  expect(exitCode).toBe(1)
  for (const name of Object.keys(PINNED_HOSTS)) expect(stderr).toContain(`run: npm run hosts -- ${name}`)
})

it('--list shows what is known', async () => {
  const { exitCode, stdout } = await hosts('--list')
  expect(exitCode).toBe(0)
  for (const name of Object.keys(PINNED_HOSTS)) expect(stdout).toMatch(new RegExp(`^${name}\tnot installed`, 'm'))
})

it('an unknown name installs nothing, not even the known one before it', async () => {
  const { exitCode, stdout, stderr } = await hosts('pi-1.6.0', 'nobody')
  expect({ exitCode, stdout, stderr }).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('known: '),
  })
})
