import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir as temporaryDir } from 'tmp-promise'
import { expect, onTestFinished, test } from 'vitest'
import type { AttemptRecord } from '../../bench/attempt/record.ts'
import { attemptPath, collectRecords, MAX_RECORD_BYTES } from '../../reporters/collect.ts'
import { makeRecord } from '../support/records.ts'

async function emptyRun(): Promise<string> {
  const { path, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  return path
}

function store(root: string, record: AttemptRecord, path = attemptPath(record)): string {
  return storeText(root, path, JSON.stringify(record))
}

function storeText(root: string, path: string, text: string): string {
  mkdirSync(join(root, path), { recursive: true })
  const file = join(root, path, 'record.json')
  writeFileSync(file, text)
  return file
}

test('finds every attempt, retries and interrupted ones included, and nothing else', async () => {
  const root = await emptyRun()
  const interrupted = makeRecord({ reason: 'killed', level: null, startedAt: '2026-09-04T09:00:00.000Z' })
  const records = [makeRecord(), makeRecord({ attempt: 2 }), makeRecord({ arm: 'current' })]
  for (const record of records) store(root, record)
  store(root, interrupted, `${attemptPath(interrupted)}-interrupted-1`)
  writeFileSync(join(root, 'summary.json'), '{}')
  mkdirSync(join(root, 'not-a-task', 'x', 'attempt-1'), { recursive: true })
  const { records: found, problems } = collectRecords(root)
  expect(problems).toEqual([])
  expect(found.map(({ arm, attempt, outcome }) => `${arm} ${attempt} ${outcome}`)).toEqual([
    'current 1 strict',
    'vanilla 1 strict',
    'vanilla 1 interrupted',
    'vanilla 2 strict',
  ])
})

test('a folder that does not exist holds no records', () => {
  expect(collectRecords('/nonexistent/run')).toEqual({ records: [], problems: [] })
})

test('what is broken is listed with its path, and the rest is kept', async () => {
  const root = await emptyRun()
  store(root, makeRecord())
  storeText(root, '02-calendar-merge/vanilla/attempt-1', '{"schema": "rw30.re')
  storeText(root, '03-mailbox-cleanup/vanilla/attempt-1', JSON.stringify({ ...makeRecord(), level: 7, extra: 1 }))
  store(root, makeRecord({ task: '04-invoice-matching' }), '05-inventory-reorder/vanilla/attempt-1')
  mkdirSync(join(root, '06-volunteer-shifts/vanilla/attempt-1'), { recursive: true })
  mkdirSync(join(root, '07-utility-anomalies/vanilla/attempt-1/record.json'), { recursive: true })
  truncateSync(storeText(root, '08-itinerary-repair/vanilla/attempt-1', ''), MAX_RECORD_BYTES + 1)
  symlinkSync(join(root, '01-expense-reconciliation'), join(root, '09-support-sla'))

  const { records, problems } = collectRecords(root)
  expect(records.map(({ task }) => task)).toEqual(['01-expense-reconciliation'])
  expect(problems.map(({ path, problem }) => `${path}: ${problem}`)).toEqual([
    expect.stringMatching(/^02-calendar-merge\/vanilla\/attempt-1\/record\.json: is not JSON: /),
    expect.stringMatching(/^03-.*: does not fit the schema: .*level.*/),
    '05-inventory-reorder/vanilla/attempt-1/record.json: says that it is 04-invoice-matching/vanilla/attempt-1, but lies in 05-inventory-reorder/vanilla/attempt-1',
    '06-volunteer-shifts/vanilla/attempt-1/record.json: is missing',
    '07-utility-anomalies/vanilla/attempt-1/record.json: cannot be read (EISDIR)',
    `08-itinerary-repair/vanilla/attempt-1/record.json: is ${MAX_RECORD_BYTES + 1} bytes, more than a record can have`,
  ])
  expect(problems[1]!.problem).toContain('extra')
})
