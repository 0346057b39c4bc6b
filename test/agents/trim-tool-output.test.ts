import { describe, expect, it } from 'vitest'
import { KEEP_MESSAGES, MIN_CHARS, STEP_MESSAGES, trimOldResults } from '../../examples/trim-tool-output/index.ts'

const result = (text: string) => ({ role: 'toolResult', content: [{ type: 'text', text }] })
const long = (index: number) => result(`${index}`.padEnd(MIN_CHARS, 'x'))
const conversation = (length: number) => Array.from({ length }, (_, index) => long(index))
const trimmed = (length: number) =>
  trimOldResults(conversation(length)).map(
    (it, index) => it !== undefined && JSON.stringify(it) !== JSON.stringify(long(index)),
  )

describe('trim-tool-output', () => {
  it('leaves a short conversation whole', () => {
    const messages = conversation(KEEP_MESSAGES + STEP_MESSAGES - 1)
    expect(trimOldResults(messages)).toEqual(messages)
  })

  it('shortens old results, and the same ones until the next step', () => {
    const first = trimmed(KEEP_MESSAGES + STEP_MESSAGES)
    expect(first.filter(Boolean)).toHaveLength(STEP_MESSAGES)
    expect(first.lastIndexOf(true)).toBe(STEP_MESSAGES - 1)
    expect(trimmed(KEEP_MESSAGES + 2 * STEP_MESSAGES - 1).filter(Boolean)).toHaveLength(STEP_MESSAGES)
    expect(trimmed(KEEP_MESSAGES + 2 * STEP_MESSAGES).filter(Boolean)).toHaveLength(2 * STEP_MESSAGES)
  })

  it('keeps head, tail and the number of characters between them', () => {
    const text = `HEAD${'x'.repeat(5_000)}TAIL`
    const [first] = trimOldResults([result(text), ...conversation(KEEP_MESSAGES + STEP_MESSAGES)])
    const shown = (first as { content: { text: string }[] }).content[0]?.text
    expect(shown).toMatch(/^HEADx+\n\[\.\.\. 3808 characters .*\]\nx+TAIL$/)
  })

  it('touches tool results only, and only long ones', () => {
    const kept = [{ role: 'user', content: 'x'.repeat(9_000) }, result('x'.repeat(MIN_CHARS - 1))]
    expect(trimOldResults([...kept, ...conversation(40)]).slice(0, 2)).toEqual(kept)
  })
})
