import { posix } from 'node:path'

/** Most bytes of content in one command: the kernel takes 128 KiB in one argument, and agents pass the command as one. */
export const COMMAND_BYTES = 60_000

/** A word for a POSIX shell. */
export const quote = (word: string): string =>
  /^[A-Za-z0-9_./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/**
 * Shell commands that write a file with exactly these bytes, path relative to the working directory: text as a here-document
 * with a quoted delimiter, anything else (NUL, no UTF-8) through base64; in parts where it is long.
 */
export function writeCommands(path: string, content: Buffer, executable = false, partBytes = COMMAND_BYTES): string[] {
  const target = quote(path)
  const folder = posix.dirname(path)
  const prepare = folder === '.' ? '' : `mkdir -p ${quote(folder)} && `
  const parts = isText(content) ? textParts(content, partBytes).map(textPart) : binaryParts(content, partBytes)
  if (parts.length === 0) parts.push({ command: ':', input: '' })
  return parts.map(({ command, input }, index) => {
    const start = index === 0 ? prepare : ''
    const end = executable && index === parts.length - 1 ? `\nchmod +x ${target}` : ''
    return `${start}${command} ${index === 0 ? '>' : '>>'} ${target}${input}${end}`
  })
}

interface Part {
  command: string
  /** The here-document, from its operator to its delimiter. */
  input: string
}

/** A part without a final newline is cut to its length, since a here-document always ends in one. */
function textPart(part: Buffer): Part {
  const text = part.toString('utf8')
  const command = text.endsWith('\n') ? 'cat' : `head -c ${part.length}`
  return { command, input: hereDocument(text.endsWith('\n') ? text : `${text}\n`) }
}

function binaryParts(content: Buffer, partBytes: number): Part[] {
  const size = Math.floor((partBytes * 3) / 4)
  const parts: Part[] = []
  for (let start = 0; start < content.length; start += size) {
    const lines = content
      .subarray(start, start + size)
      .toString('base64')
      .replace(/.{76}/g, '$&\n')
    parts.push({ command: 'base64 -d', input: hereDocument(`${lines}\n`) })
  }
  return parts
}

/** ` <<'DELIMITER'`, the lines, and the delimiter, which is none of the lines. */
function hereDocument(text: string): string {
  const lines = new Set(text.split('\n'))
  let delimiter = 'END_OF_FILE'
  for (let number = 2; lines.has(delimiter); number += 1) delimiter = `END_OF_FILE_${number}`
  return ` <<'${delimiter}'\n${text}${delimiter}`
}

/** Cuts text into parts of at most `partBytes`, after a newline where there is one, else between characters. */
function textParts(content: Buffer, partBytes: number): Buffer[] {
  const parts: Buffer[] = []
  for (let start = 0; start < content.length; ) {
    let end = Math.min(start + partBytes, content.length)
    if (end < content.length) {
      const newline = content.lastIndexOf(10, end - 1)
      if (newline >= start) end = newline + 1
      else while (end > start + 1 && isContinuation(content[end])) end -= 1
    }
    parts.push(content.subarray(start, end))
    start = end
  }
  return parts
}

/** A byte within a UTF-8 character. */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** UTF-8 without NUL: what JSON and a shell can carry as it is. */
const isText = (content: Buffer): boolean =>
  !content.includes(0) && content.equals(Buffer.from(content.toString('utf8')))
