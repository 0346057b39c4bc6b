import { describe, expect, test } from 'vitest'
import { amount, coverage, dollars, duration, escapeMarkdown, plain, rate, withInterval } from '../../reporters/text.ts'

const ESCAPE = '\u001b'

describe('values', () => {
  test.each([
    [null, '–'],
    [0, '0.0 s'],
    [3_240, '3.2 s'],
    [9_960, '10 s'],
    [85_000, '85 s'],
    [245_000, '4 m 05 s'],
    [7_320_000, '2 h 02 m'],
  ])('duration %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })

  test.each([
    [null, '–'],
    [0, '$0.0000'],
    [0.0312, '$0.0312'],
    [12.345, '$12.35'],
  ])('dollars %s', (value, text) => {
    expect(dollars(value)).toBe(text)
  })

  test.each([
    [null, '–'],
    [0, '0'],
    [812, '812'],
    [14_210, '14.2k'],
    [999_960, '1.00M'],
    [3_100_000, '3.10M'],
  ])('amount %s', (value, text) => {
    expect(amount(value)).toBe(text)
  })

  test('coverage is said only when something is unknown', () => {
    expect(coverage({ known: 30, of: 30 })).toBe('')
    expect(coverage({ known: 0, of: 30 })).toBe(' (0 of 30 known)')
  })

  test('intervals', () => {
    expect(withInterval(0.871, [0.79, 0.964])).toBe('0.87 [0.79, 0.96]')
    expect(withInterval(null, null)).toBe('–')
    expect(withInterval(12.34, [0.0001, 5e9])).toBe('12.3 [<0.01, >999]')
    expect(rate({ passed: 27, of: 30, rate: 0.9, interval: [0.744, 0.965] })).toBe('27/30 (90 %, 74–97)')
    expect(rate({ passed: 0, of: 0, rate: null, interval: null })).toBe('0/0')
  })
})

describe('hostile strings', () => {
  test('plain text has no escape sequence, control, bidirectional or invisible character, and one line', () => {
    const text = plain(
      `a${ESCAPE}[31mred${ESCAPE}[0m\r\nb\u0000\u0007c\u202edcba\u200b${ESCAPE}]8;;http://x\u0007link${ESCAPE}]8;;\u0007`,
    )
    expect(text).toMatch(/^[\u0020-\u007e]+$/)
    expect(text).toContain('ared b c dcba')
  })

  test('plain text is capped', () => {
    expect(plain('x'.repeat(10_000))).toHaveLength(400)
    expect(plain('x'.repeat(10_000)).endsWith('…')).toBe(true)
  })

  test.each([
    ['a | b', 'a \\| b'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['[x](http://evil)', '\\[x\\](http&#58;//evil)'],
    ['![x](y)', '!\\[x\\](y)'],
    ['**bold** `code` ~~s~~', '\\*\\*bold\\*\\* \\`code\\` \\~\\~s\\~\\~'],
    ['@someone &amp; $x$', '&#64;someone &amp;amp; \\$x\\$'],
    ['www.evil.example', 'www&#46;evil.example'],
    ['# heading', '\\# heading'],
    ['1. item', '1\\. item'],
    ['\\| already', '\\\\\\| already'],
    ['line\n\n# heading', 'line # heading'],
  ])('markdown of %j', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped)
  })
})
