// An extension of pi that misbehaves as the variable MISBEHAVE says, at the first tool call: stands for a broken agent.
import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, writeFileSync, writeSync } from 'node:fs'

const MEBIBYTE = Buffer.alloc(2 ** 20, 'x')

const WAYS: Record<string, () => Promise<void> | void> = {
  hang: () => new Promise(() => {}),
  spin: () => {
    for (;;);
  },
  exit: () => process.exit(7),
  close_output: () => {
    closeSync(1)
    return new Promise(() => {})
  },
  long_line: () => {
    for (let i = 0; i < 100; i++) write(MEBIBYTE)
    return new Promise(() => {})
  },
  nonsense: () => {
    for (let i = 0; i < 5000; i++) write(Buffer.from('this is no JSON\n'))
    return new Promise(() => {})
  },
  fork: async () => {
    for (;;) {
      for (let i = 0; i < 20; i++) spawn('sleep', ['1000'], { stdio: 'ignore', detached: true }).on('error', () => {})
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  },
  daemon: () => {
    spawn('sleep', ['1000'], { stdio: 'ignore', detached: true }).unref()
  },
  fill_disk: () => {
    writeFileSync('/workspace/output/fill', '')
    try {
      for (;;) appendFileSync('/workspace/output/fill', MEBIBYTE)
    } catch {}
  },
  link_artifacts: () => {
    spawn('ln', ['-s', '/etc/passwd', '/workspace/output/link'])
  },
}

/** Writes all of it, also while the pipe is full. */
function write(data: Buffer): void {
  let rest = data
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

export default function (pi: { on(event: string, handler: () => Promise<void>): void }): void {
  let done = false
  if (process.env.MISBEHAVE === 'fail_quietly')
    pi.on('context', async () => {
      throw new Error('late boom')
    })
  pi.on('tool_call', async () => {
    if (done) return
    done = true
    await WAYS[process.env.MISBEHAVE ?? '']?.()
  })
}
