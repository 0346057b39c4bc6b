import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir as temporaryDir } from 'tmp-promise'
import { expect, onTestFinished, test } from 'vitest'
import { annotationsOf } from '../../bench/attempt/annotations.ts'
import { makeRecord } from '../support/records.ts'

test('shows level, stages, times, tokens and cost, and what is unknown as unknown', () => {
  const record = makeRecord({ cost: null, tokens: { cache_write: null } })
  expect(annotationsOf(record, '/nonexistent').map(({ type, message }) => `${type}: ${message}`)).toEqual([
    'rw30-level: level 5 of 5 · strict: the judge gave level 5',
    'rw30-stage: stage 1/1 initial · done · 1 m 40 s · 10 calls · 12 tool calls · –',
    'rw30-time: agent 1 m 40 s of 10 m 00 s · model 80 s, tools 10 s, compaction 0.0 s · queue 0.5 s, set-up 1.0 s, judge 4.0 s',
    'rw30-tokens: fresh input 1.0k, cache read 6.0k, cache write – · output 2.0k, of it reasoning 500 · largest input 3.0k · 10 calls',
    'rw30-cost: – (0 of 10 known)',
  ])
})

test('names a retry, a rehearsal, a failing twin, compactions and disagreements', () => {
  const record = makeRecord({
    attempt: 2,
    reason: 'below_level_5',
    level: 4,
    twin: false,
    change: {
      rehearsal: true,
      compactions: [
        { after_stage: 'initial', origin: 'requested', phase: 'failed', duration_ms: 900, detail: 'no\u001b[2J' },
      ],
      disagreements: ['output: 1200 and 1300'],
    },
  })
  const messages = annotationsOf(record, '/nonexistent').map(({ message }) => message)
  expect(messages[0]).toBe(
    'retry: level 4 of 5 · partial: the judge gave less than level 5 · the twin fixture fails · rehearsal, not a measurement',
  )
  expect(messages.slice(-2)).toEqual([
    'retry: requested after stage initial: failed, 0.9 s (no)',
    'retry: output: 1200 and 1300',
  ])
})

test('attaches only what is there', async () => {
  const { path, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  writeFileSync(join(path, 'transcript.md'), '# Stage initial\n')
  const attachments = annotationsOf(makeRecord(), path).flatMap(({ type, attachment }) =>
    attachment ? [{ type, ...attachment }] : [],
  )
  expect(attachments).toEqual([
    { type: 'rw30-transcript', path: join(path, 'transcript.md'), contentType: 'text/markdown' },
  ])
})
