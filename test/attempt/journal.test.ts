import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Journal } from '../../bench/attempt/journal.ts'
import { AttemptLogs } from '../../bench/attempt/logs.ts'
import { redactor, redactTexts } from '../../bench/attempt/redact.ts'
import { UNKNOWN_TOKENS } from '../../bench/gateway/call.ts'

let folder: string
let cleanup: () => Promise<void>
let now: number
let journal: Journal

beforeEach(async () => {
  const made = await dir({ unsafeCleanup: true, prefix: 'rw30-journal-' })
  folder = made.path
  cleanup = made.cleanup
  now = 0
  journal = new Journal(
    new AttemptLogs(folder),
    (text) => text.replaceAll('hunter2', '[secret]'),
    'title',
    () => now,
  )
})
afterEach(() => cleanup())

const at = (time: number) => {
  now = time
  return journal
}
const started = (id: string) => ({ type: 'tool_started', id, name: 'bash', input: { command: 'ls' } }) as const
const ended = (id: string, is_error = false) =>
  ({ type: 'tool_ended', id, name: 'bash', is_error, result_bytes: 10, text: 'out' }) as const

describe('the journal', () => {
  test('counts the time in which tools ran once, however many ran', () => {
    journal.beginStage('initial')
    at(100).add(started('a'))
    at(150).add(started('b'))
    at(200).add(ended('a'))
    at(300).add(ended('b', true))
    at(400).add(started('c'))
    at(450).end()
    expect(journal.toolsMs).toBe(250)
    expect(journal.tools).toEqual({ calls: 3, errors: 1, result_bytes: 20 })
    expect(journal.toolCallsOf.get('initial')).toBe(3)
  })

  test('keeps each warning once, redacted, with its number, and no more than twenty', () => {
    at(0).add({ type: 'warning', detail: 'extension failed: hunter2' })
    at(1).add({ type: 'warning', detail: 'refine failed' })
    at(2).add({ type: 'warning', detail: 'extension failed: hunter2' })
    expect(journal.warnings()).toEqual(['extension failed: [secret] (2 times)', 'refine failed'])
    for (let number = 0; number < 30; number++) journal.add({ type: 'warning', detail: `extension failed: ${number}` })
    expect(journal.warnings()).toHaveLength(20)
  })

  test('a call without an answer is none that the agent reports as answered', () => {
    const call = { type: 'model_call', model: 'm', tokens: UNKNOWN_TOKENS, cost_usd: null } as const
    for (const stop_reason of ['error', 'aborted', 'stop', null]) at(0).add({ ...call, stop_reason })
    expect(journal.reported.calls).toBe(2)
  })

  test('a requested compaction has one entry, a natural one another', () => {
    journal.beginStage('initial')
    at(10).add({ type: 'compaction', phase: 'completed', origin: 'natural', detail: null })
    at(20).add({ type: 'compaction', phase: 'requested', origin: 'requested', detail: null })
    at(50).add({ type: 'compaction', phase: 'failed', origin: 'requested', detail: 'too small' })
    expect(journal.compactions).toEqual([
      { after_stage: 'initial', origin: 'natural', phase: 'completed', duration_ms: null, detail: null },
      { after_stage: 'initial', origin: 'requested', phase: 'failed', duration_ms: 30, detail: 'too small' },
    ])
  })

  test('a compaction that never ended has failed', () => {
    at(20).add({ type: 'compaction', phase: 'requested', origin: 'requested', detail: null })
    journal.end()
    expect(journal.compactions[0]).toMatchObject({ phase: 'failed', duration_ms: null })
  })

  test('unknown tokens stay unknown', () => {
    const call = { type: 'model_call', model: 'm', stop_reason: 'stop' } as const
    journal.add({ ...call, tokens: UNKNOWN_TOKENS, cost_usd: null })
    expect(journal.reported).toEqual({ calls: 1, tokens: UNKNOWN_TOKENS, cost_usd: null })
    journal.add({ ...call, tokens: { ...UNKNOWN_TOKENS, output: 5 }, cost_usd: 0.5 })
    expect(journal.reported).toMatchObject({ calls: 2, cost_usd: 0.5 })
    expect(journal.reported.tokens).toEqual({ ...UNKNOWN_TOKENS, output: 5 })
  })

  test('secrets are taken out before anything is written', () => {
    journal.beginStage('initial')
    journal.add({ type: 'message', role: 'assistant', text: 'the key is hunter2' })
    for (const file of ['events.jsonl', 'transcript.md']) {
      const text = readFileSync(join(folder, file), 'utf8')
      expect(text).toContain('[secret]')
      expect(text).not.toContain('hunter2')
    }
  })

  test('a text cannot break out of its code block', () => {
    journal.add({ ...ended('a'), text: 'x\n```\n# not a heading' })
    expect(readFileSync(join(folder, 'transcript.md'), 'utf8')).toContain('````\nx\n```\n# not a heading\n````')
  })
})

test('the redactor knows variables that are named like secrets, and the longest match wins', () => {
  const clean = redactor(['attempt-token'], { OPENAI_API_KEY: 'sk-abcdefgh', HARMLESS: 'visible', SHORT_KEY: 'abc' })
  expect(clean('sk-abcdefgh visible abc attempt-token')).toBe('[secret] visible abc [secret]')
})

test('a secret harms no record: keys stay, and a placeholder for a key is none', () => {
  const record = { status: 'running', usage: { auxiliary: [1, 'my attempt-token'] }, running: null }
  expect(redactTexts(record, redactor(['x', 'token', 'auxiliary', 'attempt-token'], {}))).toEqual({
    status: 'running',
    usage: { auxiliary: [1, 'my [secret]'] },
    running: null,
  })
})
