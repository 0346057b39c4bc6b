import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { asAgent, open, withBenchlib } from './support/jails.ts'

const FORK_BOMB = 'import os\nwhile True:\n    os.fork()'
/** Eight processes of 40 MiB each, none of them too large by itself. */
const MANY_HOLDERS = `
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(40 * 2**20)
        time.sleep(1000)
time.sleep(1000)`
/** 60 MiB that eight children share with their parent: much when counted nine times. */
const SHARERS = `
import os
held = bytearray(60 * 2**20)
for _ in range(8):
    if os.fork() == 0:
        __import__("time").sleep(1)
        os._exit(0)
for _ in range(8):
    os.wait()
print("shared")`

test('a fork bomb ends the jail, which says so', async () => {
  const { exit, end, jail } = await asAgent(['python', '-c', FORK_BOMB])
  expect(end).toMatchObject({ by: 'processes', failure: null })
  expect(end.detail).toMatch(/^\d+ processes, 128 are allowed$/)
  expect(exit).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await jail.close()).toEqual({ survivors: 0 })
})

test('threads beyond what all processes may have end the jail, many of one process do not', async () => {
  const start = (count: number) =>
    `import threading, time\nfor _ in range(${count}): threading.Thread(target=time.sleep, args=(1.5,)).start()`
  expect((await asAgent(['python', '-c', start(600)])).end.by).toBeNull()
  const { end, jail } = await asAgent(['python', '-c', start(1200)])
  expect(end).toMatchObject({ by: 'processes', failure: null })
  expect(end.detail).toMatch(/^\d+ threads of \d+ processes, 1024 are allowed$/)
  expect(await jail.close()).toEqual({ survivors: 0 })
})

test('memory held by many processes together ends the jail, which says so', async () => {
  const { end, jail } = await asAgent(['python', '-c', MANY_HOLDERS], { limits: { residentBytes: 200 * 2 ** 20 } })
  expect(end.by).toBe('resident_bytes')
  expect(await jail.close()).toEqual({ survivors: 0 })
})

test('memory that processes share counts once', async () => {
  const { stdout, end } = await asAgent(['python', '-c', SHARERS], { limits: { residentBytes: 200 * 2 ** 20 } })
  expect(end.by).toBeNull()
  expect(stdout).toBe('shared\n')
})

test('/tmp and /dev/shm are full at their bound', async () => {
  const fill = 'f = open("FOLDER/fill", "wb")\nwhile True: f.write(bytes(2**20))'
  const command = ['/tmp', '/dev/shm'].map(
    (name) => `python -c '${fill.replace('FOLDER', name)}' 2>&1 | tail -1; du -sm ${name} | cut -f1`,
  )
  const { stdout } = await asAgent(['/bin/bash', '-c', command.join('\n')], { limits: { tmpBytes: 8 * 2 ** 20 } })
  expect(stdout).toBe(
    'OSError: [Errno 28] No space left on device\n8\nOSError: [Errno 28] No space left on device\n256\n',
  )
})

test('the root and /dev take no files', async () => {
  const { stdout } = await asAgent([
    '/bin/bash',
    '-c',
    'for at in / /dev /usr /etc /run /home; do touch $at/new 2>&1; done | wc -l',
  ])
  expect(stdout).toBe('6\n')
})

test('a file of the agent is bounded', async () => {
  const jail = await open(['/bin/bash', '-c', 'head -c 3000000 /dev/zero > solution/big; echo $?'], {
    limits: { fileBytes: 2 ** 20 },
  })
  expect(Number(await text(jail.process.stdout))).toBe(128 + 25) // SIGXFSZ
})

const CANDIDATE_BOUNDS = `
import dataclasses, json, tempfile
from pathlib import Path
from benchlib.jail import Limits, run

MIB = 2**20
CASES = {
    "seconds": (["sleep", "1000"], Limits(seconds=0.3)),
    "processes": (["python", "-c", ${JSON.stringify(FORK_BOMB)}], Limits()),
    "resident_bytes": (["python", "-c", ${JSON.stringify(MANY_HOLDERS)}], Limits(resident_bytes=200 * MIB)),
    "output_bytes": (["yes"], Limits(output_bytes=MIB)),
    "address_space_bytes": (["python", "-c", "bytearray(5 * 2**30)"], Limits()),
    "file_bytes": (["python", "-c", "open('out/big', 'wb').truncate(10 * 2**30)"], Limits()),
    "tmp_bytes": (["sh", "-c", "head -c 9000000 /dev/zero > /tmp/fill"], Limits(tmp_bytes=8 * MIB)),
}
told = {}
with tempfile.TemporaryDirectory() as folder:
    for name, (command, limits) in CASES.items():
        done = run(command, workspace=Path(folder), editable=["out/"], limits=limits)
        last = done.stderr.decode().strip().rpartition(chr(10))[2]
        told[name] = [done.returncode, done.ended_by, len(done.stdout), last, done.survivors]
print(json.dumps(told))`

test('each bound of a candidate ends it, or is met by it, under its own name', async () => {
  expect(await withBenchlib(CANDIDATE_BOUNDS)).toEqual({
    seconds: [null, 'seconds', 0, '', 0],
    processes: [null, 'processes', 0, '', 0],
    resident_bytes: [null, 'resident_bytes', 0, '', 0],
    output_bytes: [null, 'output_bytes', 2 ** 20, '', 0],
    address_space_bytes: [1, null, 0, 'MemoryError', 0],
    file_bytes: [1, null, 0, 'OSError: [Errno 27] File too large', 0],
    tmp_bytes: [1, null, 0, "head: error writing 'standard output': No space left on device", 0],
  })
})
