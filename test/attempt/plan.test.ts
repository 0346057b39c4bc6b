import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { expect, test } from 'vitest'
import { freezePlan, newRunId, makePlan as planOf } from '../../bench/attempt/plan.ts'
import { resolveConfig } from '../../bench/config.ts'
import { makePlan } from '../support/records.ts'

const withFolder = async (body: (folder: string) => void) => {
  const { path, cleanup } = await dir({ unsafeCleanup: true, prefix: 'rw30-plan-' })
  try {
    body(join(path, 'run'))
  } finally {
    await cleanup()
  }
}

test('the first plan is frozen; a later start of the same run finds it', () =>
  withFolder((folder) => {
    const plan = makePlan()
    freezePlan(folder, plan)
    const later = freezePlan(folder, makePlan({ created_at: '2026-02-02T00:00:00.000Z', workers: 7 }))
    expect(later).toEqual(plan)
    expect(JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'))).toEqual(plan)
  }))

test('another plan under the same run id is refused, every difference named', () =>
  withFolder((folder) => {
    freezePlan(folder, makePlan())
    expect(() => freezePlan(folder, makePlan({ retry_failed: 0, corpus_digest: 'y' }))).toThrow(
      /planned otherwise.*\n {2}- retry_failed: 1 there, 0 now\n {2}- corpus_digest: "c0ffee00c0ffee00c0ffee00" there, "y" now/s,
    )
  }))

test('an extension that was edited is another plan', () =>
  withFolder((folder) => {
    const digestOf = (extensions: string[]) => {
      const config = resolveConfig({ arms: { mine: { extensions } } }, {})
      const facts = { runId: 'run-a', now: new Date(0), hostVersions: {}, prices: null }
      return planOf(config, facts).arms[0]!.extensions_digest
    }
    mkdirSync(join(folder, 'src'), { recursive: true })
    mkdirSync(join(folder, '.git'))
    writeFileSync(join(folder, 'src/index.ts'), 'export default 1')
    const before = digestOf([folder])
    writeFileSync(join(folder, '.git/HEAD'), 'main')
    expect(digestOf([folder])).toBe(before)
    writeFileSync(join(folder, 'src/index.ts'), 'export default 2')
    expect(digestOf([folder])).not.toBe(before)
    expect(digestOf([join(folder, 'src/index.ts')])).toMatch(/^[0-9a-f]{64}$/)
    expect(digestOf([])).toBeNull()
  }))

test('a damaged plan is named', () =>
  withFolder((folder) => {
    freezePlan(folder, makePlan())
    writeFileSync(join(folder, 'plan.json'), '{}')
    expect(() => freezePlan(folder, makePlan())).toThrow(/plan\.json is no valid plan/)
  }))

test('a run id sorts by time and is a safe folder name', () => {
  expect(newRunId(new Date('2026-11-30T02:31:44.123Z'))).toBe('2026-11-30T02-31-44Z')
})
