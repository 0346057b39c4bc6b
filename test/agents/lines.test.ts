import { describe, expect, it } from 'vitest'
import { LineSplitter } from '../../bench/agents/support/lines.ts'

function split(chunks: Buffer[], maxLineBytes = 1_000) {
  const lines: string[] = []
  const tooLong: number[] = []
  const splitter = new LineSplitter({
    maxLineBytes,
    skip: (head) => head.startsWith('skip'),
    onLine: (line) => lines.push(line),
    onTooLong: (bytes) => tooLong.push(bytes),
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return { lines, tooLong }
}

describe('LineSplitter', () => {
  it('splits at \\n bytes only and keeps U+2028 inside a line', () => {
    expect(split([Buffer.from('a\u2028b\u2029c\r\nd\n\n')]).lines).toEqual(['a\u2028b\u2029c', 'd', ''])
  })

  it('gives the same lines whatever the chunks, multi-byte characters included', () => {
    const bytes = Buffer.from(`{"a":"äöü€😀"}\n${'x'.repeat(200)}\nskip${'y'.repeat(200)}\nlast`)
    const whole = split([bytes]).lines
    expect(whole).toEqual(['{"a":"äöü€😀"}', 'x'.repeat(200), 'last'])
    for (const size of [1, 2, 3, 63, 64, 65]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )
      expect(split(chunks).lines).toEqual(whole)
    }
  })

  it('ends at a line beyond the limit, once, and says nothing of what follows', () => {
    const { lines, tooLong } = split([
      Buffer.from('ok\n'),
      Buffer.alloc(600, 120),
      Buffer.alloc(600, 120),
      Buffer.from('\nlate\n'),
    ])
    expect(lines).toEqual(['ok'])
    expect(tooLong).toEqual([1_200])
  })

  it('counts a skipped line as well', () => {
    expect(split([Buffer.from(`skip${'y'.repeat(2_000)}\n`)]).tooLong).toHaveLength(1)
  })
})
