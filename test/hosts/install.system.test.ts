import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PINNED_HOSTS } from '../../bench/hosts/definition.ts'
import { installHost } from '../../bench/hosts/install.ts'
import { hostPrefix } from '../../bench/hosts/prefix.ts'

let folder: { path: string; cleanup(): Promise<void> }
beforeEach(async () => {
  folder = await dir({ unsafeCleanup: true })
})
afterEach(() => folder.cleanup())

it('a packed fork is installed with a Node of its own, and none of its scripts is run', async () => {
  const source = join(folder.path, 'source')
  mkdirSync(source)
  const scripts = { install: `touch ${join(folder.path, 'ran')}` }
  writeFileSync(
    join(source, 'package.json'),
    JSON.stringify({ name: '@me/fork', version: '2.0.0', type: 'module', scripts }),
  )
  writeFileSync(join(source, 'cli.js'), 'console.log(process.version, import.meta.url)')
  const { stdout: tarball } = await execa('npm', ['pack', '--silent'], { cwd: source })
  const node = Object.values(PINNED_HOSTS)[0]?.node as string
  const packages = [`file:${join(source, tarball)}`]
  const definition = { packages, cli: 'node_modules/@me/fork/cli.js', node }
  const root = join(folder.path, 'cache')
  const { manifest } = await installHost('fork', definition, { root })
  expect(manifest.packages).toEqual({ '@me/fork': '2.0.0' })
  const { prefix, version } = hostPrefix('fork', { fork: definition }, root)
  expect(version).toBe('@me/fork@2.0.0')
  const { stdout } = await execa(join(prefix, 'bin/node'), [join(prefix, 'bin/cli')])
  expect(stdout).toBe(`v${node} file://${prefix}/node_modules/@me/fork/cli.js`)
  await expect(execa('ls', [join(folder.path, 'ran')])).rejects.toThrow('No such file')
})
