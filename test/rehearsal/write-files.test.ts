import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { commandLines } from '../../bench/rehearsal/script.ts'
import { writeCommands } from '../../bench/rehearsal/write-files.ts'
import { folder } from './support.ts'

const everyControlCharacter = Buffer.from(Array.from({ length: 127 }, (_, index) => index + 1))

test.each<[string, Buffer]>([
  ['nothing', Buffer.from('')],
  ['a line', Buffer.from('a line\n')],
  ['no final newline', Buffer.from('first\nlast')],
  ['only newlines', Buffer.from('\n\n\n')],
  ['what a shell would expand', Buffer.from('$HOME `id` $(id) \\ \\n \'single\' "double" !! \\\n')],
  ['the delimiter itself', Buffer.from('END_OF_FILE\nEND_OF_FILE_2\n END_OF_FILE\n')],
  ['the delimiter as last line without newline', Buffer.from('x\nEND_OF_FILE')],
  ['carriage returns and tabs', Buffer.from('a\r\n\tb\r')],
  ['other scripts', Buffer.from('Grüße 日本語 👩‍👩‍👧\n')],
  ['a byte order mark', Buffer.from('\ufeffid,name\n')],
  ['control characters', everyControlCharacter],
  ['NUL', Buffer.from('a\0b')],
  ['no UTF-8', Buffer.from([0xff, 0xfe, 10, 0x80])],
])('the commands write exactly: %s', async (_, content) => {
  const cwd = await folder()
  for (const command of writeCommands('solution/deep down/file.txt', content))
    await execa('bash', ['-c', command], { cwd })
  expect(readFileSync(join(cwd, 'solution/deep down/file.txt'))).toEqual(content)
})

test.each<[string, Buffer]>([
  ['lines', Buffer.from(Array.from({ length: 300 }, (_, index) => `line ${index} ü\n`).join(''))],
  ['one long line of wide characters', Buffer.from('日本語'.repeat(500))],
  ['bytes', Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256))],
])('long files are written in bounded parts: %s', async (_, content) => {
  const cwd = await folder()
  const commands = writeCommands('file', content, false, 1000)
  expect(commands.length).toBeGreaterThan(3)
  for (const command of commands) {
    expect(Buffer.byteLength(command)).toBeLessThan(1200)
    await execa('bash', ['-c', command], { cwd })
  }
  expect(readFileSync(join(cwd, 'file'))).toEqual(content)
})

test('names with quotes and spaces, and the executable bit, are kept', async () => {
  const cwd = await folder()
  for (const command of writeCommands("it's $x.sh", Buffer.from('#!/bin/sh\n'), true))
    await execa('bash', ['-c', command], { cwd })
  expect(statSync(join(cwd, "it's $x.sh")).mode & 0o100).toBe(0o100)
})

test('an existing file is replaced', async () => {
  const cwd = await folder()
  for (const text of ['long long long\n', 'short'])
    for (const command of writeCommands('file', Buffer.from(text))) await execa('bash', ['-c', command], { cwd })
  expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('short')
})

test('a commands file is a command a line', () => {
  expect(commandLines('# first\npython -m solution.x a b\n\n  \nls  # kept\n')).toEqual([
    'python -m solution.x a b',
    'ls  # kept',
  ])
})
