import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderWith, python, writeFiles } from './python.ts'

let root = ''
let cleanup = async () => {}
beforeAll(async () => {
  ;({ path: root, cleanup } = await folderWith({}))
})
afterAll(() => cleanup())

/** What the reader says of a file: its value as JSON, or its refusal. */
async function read(expression: string): Promise<string> {
  return python(
    `
import json, sys
from pathlib import Path
from benchlib.readers import Outputs, Unreadable
outputs = Outputs(Path(sys.argv[1]))
def query(path, sql):
    with outputs.sqlite(path) as database:
        return database.rows(sql)
try:
    value = eval(sys.argv[2])
    print(json.dumps({"value": value if not isinstance(value, bytes) else len(value), "slips": outputs.slips}))
except Unreadable as error:
    print("refused:", error)
`,
    [root, expression],
  )
}

const write = (name: string, content: string | Uint8Array) =>
  typeof content === 'string' ? writeFiles(root, { [name]: content }) : writeFile(`${root}/${name}`, content)

describe('what is read', () => {
  test('rows of a CSV file as dicts', async () => {
    await write('ok.csv', 'id,text\n1,"a, ""b"""\n')
    expect(JSON.parse(await read('outputs.csv("ok.csv", ["id", "text"])'))).toEqual({
      value: [{ id: '1', text: 'a, "b"' }],
      slips: [],
    })
  })

  test('CR LF and a missing last newline are read, and noted', async () => {
    await write('slips.csv', 'id\r\n1')
    expect(JSON.parse(await read('outputs.csv("slips.csv", ["id"])'))).toEqual({
      value: [{ id: '1' }],
      slips: ['slips.csv: lines end with CR LF, expected LF', 'slips.csv: the last line has no newline'],
    })
  })

  test('unfolded lines of a calendar', async () => {
    await write('ok.ics', 'BEGIN:X\r\nSUMMARY:one \r\n two\r\n\tthree\r\nEND:X\r\n')
    expect(JSON.parse(await read('outputs.ics("ok.ics")')).value).toEqual(['BEGIN:X', 'SUMMARY:one twothree', 'END:X'])
  })

  test('a gzip file of two members', async () => {
    await write('two.gz', Buffer.concat([gzipSync('one'), Buffer.alloc(5), gzipSync('three')]))
    expect(JSON.parse(await read('outputs.gzip("two.gz")')).value).toBe(8)
    const noise = randomBytes(200_000)
    await write('long.gz', Buffer.concat([gzipSync(noise), gzipSync(noise), Buffer.alloc(70_000)]))
    expect(JSON.parse(await read('outputs.gzip("long.gz")')).value).toBe(400_000)
  })
})

describe('what is refused, with a note and never otherwise', () => {
  const refusals: [name: string, content: string | Uint8Array, expression: string, note: string][] = [
    ['header', 'id,txt\n', 'outputs.csv("f", ["id", "text"])', 'f line 1: header is id,txt, expected id,text'],
    ['empty CSV', '', 'outputs.csv("f", ["id"])', 'f line 1: header is , expected id'],
    ['short row', 'a,b\n1,2\n3\n', 'outputs.csv("f", ["a", "b"])', 'f line 3: 1 fields, expected 2'],
    ['huge field', `a\n${'x'.repeat(1_100_000)}\n`, 'outputs.csv("f", ["a"])', 'field larger than field limit'],
    ['open quote', 'a\n"x\n', 'outputs.csv("f", ["a"])', 'unexpected end of data'],
    ['no UTF-8', Buffer.from('a\nb\xff\n', 'latin1'), 'outputs.text("f")', 'f line 2: not UTF-8 (byte 0xff)'],
    ['byte order mark', '\ufeffa\n', 'outputs.text("f")', 'f: starts with a byte order mark'],
    ['too large', 'x'.repeat(101), 'outputs.text("f", limit=100)', 'f: 101 bytes, expected at most 100'],
    ['NaN', '{"a": NaN}', 'outputs.json("f")', 'f: NaN is not JSON'],
    ['Infinity', '[-Infinity]', 'outputs.json("f")', 'f: -Infinity is not JSON'],
    ['infinite by exponent', '[1e999]', 'outputs.json("f")', 'f: the number 1e999 is too large'],
    ['endless number', `[${'9'.repeat(5000)}]`, 'outputs.json("f")', 'f: a number of 5,000 digits'],
    ['key twice', '{"a": 1, "b": 2, "a": 3}', 'outputs.json("f")', `f: key 'a' occurs twice in one object`],
    ['deep', `${'['.repeat(150)}${']'.repeat(150)}`, 'outputs.json("f")', 'f: nested deeper than 100 levels'],
    ['very deep', '['.repeat(500_000), 'outputs.json("f")', 'f: nested too deeply'],
    ['no JSON', '{\n"a": }', 'outputs.json("f")', 'f line 2 column 6: not JSON'],
    ['bare LF', 'A\r\nB\nC\r\n', 'outputs.ics("f")', 'f line 2: a bare CR or LF'],
    ['no gzip', 'plain', 'outputs.gzip("f")', 'f: not gzip'],
    ['cut gzip', gzipSync('x'.repeat(1000)).subarray(0, 20), 'outputs.gzip("f")', 'f: the gzip data end too early'],
    [
      'gzip bomb',
      gzipSync(Buffer.alloc(5_000_000)),
      'outputs.gzip("f", expanded_limit=1_000_000)',
      'f: expands to more than 1,000,000 bytes',
    ],
    [
      'gzip members without end',
      Buffer.concat(Array(50_000).fill(gzipSync(''))),
      'outputs.gzip("f")',
      'f: more than 10,000 gzip members',
    ],
    ['no database', 'x'.repeat(9000), 'query("f", "SELECT 1 FROM t")', 'file is not a database'],
  ]
  test.each(refusals)('%s', async (_name, content, expression, note) => {
    await write('f', content)
    const said = await read(expression)
    expect(said).toMatch(/^refused: /)
    expect(said).toContain(note)
  })

  test('a query that would never end', async () => {
    await python(
      'from benchlib import fixtures; fixtures.write_sqlite(__import__("pathlib").Path(sys.argv[1]), lambda db: None)',
      [`${root}/empty.db`],
    )
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    expect(await read(`query("empty.db", "${endless}")`)).toContain('interrupted')
  })

  test('rows that take far more memory than their file has bytes', async () => {
    await python(
      `from benchlib import fixtures
def fill(db):
    db.execute("CREATE TABLE t (a INTEGER, b BLOB GENERATED ALWAYS AS (zeroblob(60000000)) VIRTUAL)")
    db.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(20)])
fixtures.write_sqlite(__import__("pathlib").Path(sys.argv[1]), fill)`,
      [`${root}/bulk.db`],
    )
    const said = await read('len(query("bulk.db", "SELECT * FROM t"))')
    expect(said).toContain('refused: bulk.db: SELECT * FROM t: more than 268,435,456 bytes')
  })

  test('many files that are small enough one by one', async () => {
    await write('large', '')
    await truncate(`${root}/large`, 60 * 2 ** 20)
    const said = await read('[len(outputs.content("large")) for _ in range(10)]')
    expect(said).toContain('refused: large: with it more than 536,870,912 bytes of output have been read')
  })

  test('links, pipes, folders, paths that lead out, and nothing at all', async () => {
    await symlink('/etc/passwd', `${root}/link`)
    await symlink('/etc', `${root}/folder-link`)
    execFileSync('mkfifo', [`${root}/pipe`])
    await writeFiles(root, { 'folder/file': 'x' })
    expect(await read('outputs.text("link")')).toContain('refused: link: is a link')
    expect(await read('outputs.text("folder-link/passwd")')).toContain('expected a folder that is no link')
    expect(await read('outputs.text("pipe")')).toContain('refused: pipe: is no regular file')
    expect(await read('outputs.text("folder")')).toContain('refused: folder: is no regular file')
    expect(await read('outputs.text("../x")')).toContain('is not a relative path below the workspace')
    expect(await read('outputs.text("missing/file")')).toContain('is missing')
    await writeFiles(root, { 'folder/deep/er/file': 'y' })
    await symlink('/etc', `${root}/folder/deep/link`)
    expect(await read('outputs.files("folder")')).toContain('["deep/er/file", "deep/link", "file"]')
    await mkdir(`${root}/deep${'/d'.repeat(102)}`, { recursive: true })
    expect(await read('outputs.files("deep")')).toContain('refused: deep: more than 100 folders deep')
  })
})
