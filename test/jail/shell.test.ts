import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type JailSpec, jailLayout } from '../../bench/jail/jail.ts'
import { asAgent, bareSpec, inShell, open } from './support/jails.ts'

/** A script for the agent's side, with `shell` as its shell tool. */
async function script(lines: string, spec: Partial<JailSpec> = {}) {
  const { paths } = await jailLayout()
  return asAgent(['/bin/bash', '-c', `shell() { ${paths.shell} -c "$1"; }\n${lines}`], spec)
}

const SERVER = `
import http.server
http.server.HTTPServer(("127.0.0.1", 8000), http.server.SimpleHTTPRequestHandler).serve_forever()`
const CLIENT = `
import time, urllib.request
for _ in range(400):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8000/inputs/data.txt").read().decode())
        break
    except OSError:
        time.sleep(0.05)`

test('a server that one command leaves running is reached by the next, and ends with the jail', async () => {
  const spec = await bareSpec()
  await writeFile(path.join(spec.workspace, 'server.py'), SERVER)
  await writeFile(path.join(spec.workspace, 'client.py'), CLIENT)
  const { stdout, jail } = await script(
    `shell 'python server.py > /dev/null 2>&1 &'
     shell 'python client.py'`,
    spec,
  )
  expect(stdout.trim()).toBe('given')
  expect(await jail.close()).toEqual({ survivors: 0 })
})

test('commands share /tmp and start in the folder they are called from, when that is in the workspace', async () => {
  const { stdout } = await script(`
    shell 'echo kept > /tmp/note'; shell 'cat /tmp/note'
    cd /workspace/solution; shell pwd
    cd /usr; shell pwd`)
  expect(stdout).toBe('kept\n/workspace/solution\n/workspace\n')
})

test('the exit code of a command is the exit code of the shell', async () => {
  const { stdout } = await script(`shell 'exit 3'; echo $?; shell 'kill -9 $$'; echo $?; shell nothing 2>&1; echo $?`)
  expect(stdout.split('\n')).toEqual(['3', '137', '/bin/bash: line 1: nothing: command not found', '127', ''])
})

test('a command ends with the shell that was killed, what it left in the background before stays', async () => {
  const { stdout } = await script(`
    shell 'sleep 1000 > /dev/null 2>&1 &'
    coproc { exec ${(await jailLayout()).paths.shell} -c 'echo started; exec sleep 2000'; }
    launcher=$COPROC_PID
    read -u \${COPROC[0]} line
    kill -9 $launcher
    while pgrep -fx 'sleep 2000' > /dev/null; do sleep 0.02; done
    pgrep -fx 'sleep 1000' > /dev/null && echo "background stays"`)
  expect(stdout).toBe('background stays\n')
})

test('a command meets the bounds on address space and file size', async () => {
  const { stdout } = await inShell(`
    python -c 'bytearray(5 * 2**30)' 2>&1 | tail -1
    python -c 'open("solution/big", "wb").truncate(2 * 2**30)' 2>&1 | tail -1`)
  expect(stdout).toBe('MemoryError\nOSError: [Errno 27] File too large\n')
})

test('standard input reaches the command', async () => {
  const { paths } = await jailLayout()
  const jail = await open([paths.shell, '-c', 'cat'])
  jail.process.stdin.end('through two jails')
  expect(await text(jail.process.stdout)).toBe('through two jails')
})
