import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { folderWith, python } from './python.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function folder(): Promise<string> {
  const made = await folderWith({})
  cleanups.push(made.cleanup)
  return made.path
}

const WRITE_ALL = `
import os, sys, time
from email.message import EmailMessage
from pathlib import Path
from benchlib import fixtures
os.umask(int(sys.argv[2], 8))
out = Path(sys.argv[1])
fixtures.write_csv(out / "a/rows.csv", ["id", "text"], [[1, 'a "quoted", text'], [2, "é"], [3, "two\\nlines\\r"]])
fixtures.write_json(out / "b.json", {"b": "é", "a": [1]})
fixtures.write_jsonl(out / "c.jsonl", ({"n": n} for n in range(3)))
fixtures.write_gzip_lines(out / "d.log.gz", (f"line {n}" for n in range(25_000)))
fixtures.write_ics(out / "e.ics", ["BEGIN:VCALENDAR", "SUMMARY:" + "é" * 60, "END:VCALENDAR"])
fixtures.write_zip(out / "f.zip", {"folder/": b"", "folder/x.txt": b"x"})
fixtures.write_tar(out / "g.tar.gz", [("x.txt", b"x")])
message = EmailMessage()
message["Subject"] = "Hello"
message.set_content("Dear you,\\nFrom now on\\n")
fixtures.write_mbox(out / "h.mbox", [message, b"Subject: raw\\n\\nbody"])
def build(db):
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
    db.executemany("INSERT INTO t (name) VALUES (?)", [(f"n{n}",) for n in range(500)])
    db.execute("DELETE FROM t WHERE id % 2")
fixtures.write_sqlite(out / "i.db", build)
`

const FILES = ['a/rows.csv', 'b.json', 'c.jsonl', 'd.log.gz', 'e.ics', 'f.zip', 'g.tar.gz', 'h.mbox', 'i.db']

describe('writers of fixture files', () => {
  test('write the same bytes at another time, in another zone and under another umask', async () => {
    const first = await folder()
    const second = await folder()
    await python(WRITE_ALL, [first, '022'], { TZ: 'Asia/Kathmandu', LC_ALL: 'C' })
    await new Promise((resolve) => setTimeout(resolve, 2100)) // zip keeps times with two seconds' resolution
    await python(WRITE_ALL, [second, '077'], { TZ: 'America/St_Johns', LC_ALL: 'C.UTF-8', PYTHONHASHSEED: '7' })
    for (const file of FILES)
      expect(await readFile(`${second}/${file}`), file).toEqual(await readFile(`${first}/${file}`))
  })

  test('write what they are asked for', async () => {
    const out = await folder()
    await python(WRITE_ALL, [out, '022'])
    expect(await readFile(`${out}/a/rows.csv`, 'utf8')).toBe('id,text\n1,"a ""quoted"", text"\n2,é\n3,"two\nlines\r"\n')
    expect(await readFile(`${out}/b.json`, 'utf8')).toBe('{\n  "b": "é",\n  "a": [\n    1\n  ]\n}\n')
    expect(await readFile(`${out}/c.jsonl`, 'utf8')).toBe('{"n":0}\n{"n":1}\n{"n":2}\n')
    const lines = gunzipSync(await readFile(`${out}/d.log.gz`))
      .toString()
      .split('\n')
    expect(lines).toHaveLength(25_001)
    expect(lines[24_999]).toBe('line 24999')
    const folded = await readFile(`${out}/e.ics`, 'utf8')
    expect(folded.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true)
    expect(folded.replaceAll('\r\n ', '')).toBe(`BEGIN:VCALENDAR\r\nSUMMARY:${'é'.repeat(60)}\r\nEND:VCALENDAR\r\n`)
    expect(await readFile(`${out}/h.mbox`, 'utf8')).toContain('\n>From now on\n\nFrom fixture@example.test ')
  })

  test('a gzip header has neither name nor time', async () => {
    const out = await folder()
    await python(WRITE_ALL, [out, '022'])
    const header = (await readFile(`${out}/d.log.gz`)).subarray(0, 10)
    expect([...header.subarray(3, 8)]).toEqual([0, 0, 0, 0, 0])
  })
})
