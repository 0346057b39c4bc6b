import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { countProcesses, countSurvivors } from '../../bench/jail/survivors.ts'
import { asAgent, bareSpec, open, withBenchlib } from './support/jails.ts'

const IGNORES_TERM = 'trap "" TERM; setsid sleep 1000 & readlink /proc/self/ns/pid; while true; do sleep 1000; done'

async function namespaceOf(stdout: AsyncIterable<unknown> & NodeJS.ReadableStream): Promise<number> {
  const [line] = await once(stdout, 'data')
  return Number(/pid:\[(\d+)\]/.exec(String(line))![1])
}

test('close ends what ignores SIGTERM and what left its session', async () => {
  const jail = await open(['/bin/bash', '-c', IGNORES_TERM])
  const namespace = await namespaceOf(jail.process.stdout)
  expect(await countProcesses(namespace)).toBeGreaterThanOrEqual(3)
  expect(await Promise.all([jail.close(), jail.close()])).toEqual([{ survivors: 0 }, { survivors: 0 }])
  expect(await countProcesses(namespace)).toBe(0)
  expect(await jail.process.exited).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await jail.ended).toEqual({ by: null, detail: '', exit: null, failure: null })
})

test('close lets the main command end by itself first', async () => {
  const jail = await open(['/bin/bash', '-c', 'trap "echo bye; exit 7" TERM; echo up; while true; do sleep 0.01; done'])
  await once(jail.process.stdout, 'data')
  const rest = text(jail.process.stdout)
  await jail.close()
  expect(await rest).toBe('bye\n')
  expect(await jail.process.exited).toEqual({ code: 7, signal: null })
})

test('the end of the main command is the end of everything', async () => {
  const { exit, stdout, jail } = await asAgent(['/bin/bash', '-c', 'sleep 1000 & echo done; exit 5'])
  expect(exit).toEqual({ code: 5, signal: null })
  expect(stdout).toBe('done\n')
  expect(await jail.close()).toEqual({ survivors: 0 })
})

test('output that the main command closes is seen as closed while it runs on', async () => {
  const jail = await open(['/bin/bash', '-c', 'echo last words; exec >&-; exec sleep 1000'])
  expect(await text(jail.process.stdout)).toBe('last words\n')
  expect(await Promise.race([jail.process.exited, 'still running'])).toBe('still running')
})

test('a missing main command exits 127 and says so', async () => {
  const { exit, stderr } = await asAgent(['no-such-agent'])
  expect(exit).toEqual({ code: 127, signal: null })
  expect(stderr).toContain('no-such-agent: not found')
})

test('a killed owner leaves nothing behind', async () => {
  const spec = await bareSpec()
  const script = fileURLToPath(new URL('./support/owner.ts', import.meta.url))
  const owner = execa('node', ['--import', 'tsx', script, spec.workspace, spec.home], { reject: false, buffer: false })
  onTestFinished(() => void owner.kill('SIGKILL'))
  const namespace = await namespaceOf(owner.stdout)
  expect(await countProcesses(namespace)).toBeGreaterThanOrEqual(3)
  owner.kill('SIGKILL')
  await owner
  expect(await countSurvivors(namespace, 5000)).toBe(0)
})

test('a killed judge leaves nothing behind', async () => {
  const program = `
import json, os, signal, subprocess, sys, tempfile, time
from benchlib.jail_owner import count_processes
CHILD = '''
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from benchlib.jail import run
run(["sh", "-c", "readlink /proc/self/ns/pid > out/namespace; sleep 1000 & exec sleep 1000"], workspace=Path(sys.argv[2]), editable=["out/"])
'''
with tempfile.TemporaryDirectory() as folder:
    judge = subprocess.Popen([sys.executable, "-E", "-S", "-c", CHILD, sys.path[0], folder])
    note = folder + "/out/namespace"
    while not (os.path.exists(note) and os.path.getsize(note)):
        time.sleep(0.02)
    namespace = int(open(note).read().strip()[5:-1])
    while count_processes(namespace) < 4:
        time.sleep(0.02)
    judge.kill()
    judge.wait()
    deadline = time.monotonic() + 5
    while count_processes(namespace) and time.monotonic() < deadline:
        time.sleep(0.02)
    print(json.dumps(count_processes(namespace)))`
  expect(await withBenchlib(program)).toBe(0)
})

test('opening fails as a whole when something to bind is missing', async () => {
  const missing = path.join((await bareSpec()).workspace, 'missing')
  await expect(open(['true'], { hostPrefix: missing })).rejects.toThrow(/ENOENT.*missing/)
})
