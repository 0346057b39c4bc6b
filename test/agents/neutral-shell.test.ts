import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import neutralShell, {
  CutOutput,
  HEAD_BYTES,
  MAX_COMMAND_BYTES,
  runCommand,
  TAIL_BYTES,
} from '../../bench/agents/pi/neutral-shell.ts'

let folder: { path: string; cleanup(): Promise<void> }
beforeAll(async () => {
  folder = await dir({ unsafeCleanup: true })
  writeFileSync(join(folder.path, 'shell'), '#!/bin/bash\nexec /bin/bash "$@"\n', { mode: 0o755 })
})
afterAll(() => folder.cleanup())

const run = (command: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  runCommand({ shell: join(folder.path, 'shell'), cwd: folder.path, command, ...more })
const alive = (pid: number) => {
  try {
    // A process that has ended but was not collected yet still has an entry.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('runCommand', () => {
  it('returns both streams in the order of writing', async () => {
    const { output, code } = await run(
      'for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done; echo dev >/dev/stderr; exit 3',
    )
    expect(output).toBe(
      [1, 2, 3, 4, 5]
        .flatMap((i) => [`out${i}`, `err${i}`])
        .concat('dev')
        .join('\n'),
    )
    expect(code).toBe(3)
  })

  it("gives the command none of the agent's environment, and nothing to read", async () => {
    process.env.RW30_TEST_SECRET = 'secret'
    const { output } = await run('env; cat')
    delete process.env.RW30_TEST_SECRET
    expect(output).toContain('PATH=')
    expect(output).not.toContain('secret')
  })

  it('returns when the shell ends, and leaves its background processes alone', async () => {
    const { output, code } = await run('(while :; do echo tick; sleep 0.05; done) & echo $!')
    const pid = Number(output.split('\n').find((line) => /^\d+$/.test(line)))
    expect(code).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const living = alive(pid)
    process.kill(pid, 'SIGKILL')
    expect(living).toBe(true)
  })

  it('ends the whole tree at a timeout, other sessions included, and keeps what was printed', async () => {
    const { output, ended } = await run('setsid sleep 60 & echo $!; sleep 61 & echo $!; echo before; wait', {
      timeoutMs: 500,
    })
    expect(ended).toBe('timeout')
    expect(output).toContain('before')
    const pids = output
      .split('\n')
      .filter((line) => /^\d+$/.test(line))
      .map(Number)
    expect(pids).toHaveLength(2)
    await expect.poll(() => pids.filter(alive)).toEqual([])
  })

  it('ends the command when the signal aborts, before or during it', async () => {
    const stop = new AbortController()
    const running = run('echo $$; sleep 60', { signal: stop.signal })
    setTimeout(() => stop.abort(), 100)
    expect(await running).toMatchObject({ ended: 'abort' })
    expect(await run('sleep 60', { signal: AbortSignal.abort() })).toMatchObject({ ended: 'abort', output: '' })
  })

  it('removes control characters and terminal sequences, and survives bytes that are no text', async () => {
    const { output } = await run(String.raw`printf 'a\x00b\x1b[31mred\x1b[0m\tc\r\nd\xff'`)
    expect(output).toBe('abred\tc\nd\ufffd')
  })

  it('cuts long output in its middle', async () => {
    const { output } = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo the end')
    expect(output.length).toBeLessThan(HEAD_BYTES + TAIL_BYTES + 200)
    expect(output).toMatch(/^x+\n\[\.\.\. \d+ of 3000009 bytes left out here: .*\]\nx+\nthe end$/)
  })

  it('rejects when there is no such folder to run in', async () => {
    const lost = runCommand({ shell: 'shell', cwd: join(folder.path, 'missing'), command: 'true' })
    await expect(lost).rejects.toThrow('could not be started')
  })
})

describe('CutOutput', () => {
  it('is exact at its limit', () => {
    const whole = new CutOutput()
    const text = 'h'.repeat(HEAD_BYTES) + 't'.repeat(TAIL_BYTES)
    for (let at = 0; at < text.length; at += 1_000) whole.add(Buffer.from(text.slice(at, at + 1_000)))
    expect(whole.text()).toBe(text)
    whole.add(Buffer.from('!'))
    expect(whole.text()).toContain(`[... 1 of ${text.length + 1} bytes left out here`)
  })
})

describe('the tool', () => {
  type Tool = Parameters<Parameters<typeof neutralShell>[0]['registerTool']>[0]
  const tool = () => {
    process.env.RW30_SHELL = join(folder.path, 'shell')
    process.env.RW30_WORKSPACE = folder.path
    let registered: Tool | undefined
    neutralShell({
      registerTool: (it) => {
        registered = it
      },
    })
    return registered as Tool
  }

  it('returns text, and fails with the exit code in its message', async () => {
    expect(tool().name).toBe('bash')
    expect(await tool().execute('1', { command: 'pwd' })).toMatchObject({
      content: [{ type: 'text', text: folder.path }],
    })
    expect(await tool().execute('1', { command: 'true' })).toMatchObject({ content: [{ text: '(no output)' }] })
    await expect(tool().execute('1', { command: 'echo x; exit 4' })).rejects.toThrow('x\n\nCommand exited with code 4')
    await expect(tool().execute('1', { command: 'kill -9 $$' })).rejects.toThrow('Command was ended by SIGKILL')
    await expect(tool().execute('1', { command: 'sleep 60', timeout_ms: 50 })).rejects.toThrow('timed out after 50 ms')
  })

  it('takes a command as long as the kernel does, and says when one is longer', async () => {
    const command = (bytes: number) => `: ${'x'.repeat(bytes - 2)}`
    expect(await tool().execute('1', { command: command(MAX_COMMAND_BYTES) })).toMatchObject({
      content: [{ type: 'text' }],
    })
    await expect(tool().execute('1', { command: command(MAX_COMMAND_BYTES + 1) })).rejects.toThrow(
      'split it into several',
    )
  })

  it('takes a timeout longer than a timer can be', async () => {
    const done = await tool().execute('1', { command: 'sleep 0.1; echo ok', timeout_ms: 2 ** 40 })
    expect(done).toMatchObject({ content: [{ text: 'ok' }] })
  })

  it('does not load without its environment', () => {
    delete process.env.RW30_SHELL
    expect(() => neutralShell({ registerTool: () => {} })).toThrow('RW30_SHELL is not set')
  })
})
