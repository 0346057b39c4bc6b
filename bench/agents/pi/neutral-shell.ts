/**
 * The neutral adapter: gives pi one tool, `bash`, in place of its own, the same for every arm. It hands the command to
 * the restricted shell (`$RW30_SHELL -c COMMAND`) and returns what that prints. pi loads this file inside the jail, so
 * it imports nothing but Node's own modules.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Longer output is cut in its middle. */
export const HEAD_BYTES = 16 * 1024
export const TAIL_BYTES = 24 * 1024
/** How long the output is read on after the shell has ended, when a background process still holds it open. */
export const DRAIN_MS = 250
/** The kernel takes no longer argument; the rest is for the shell's own. */
export const MAX_COMMAND_BYTES = 120 * 1024
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Gives both streams one pipe, so that they interleave as they were written and `/dev/stderr` can be opened. */
const LAUNCHER = 'exec "$0" -c "$1" > >(exec cat) 2>&1'

interface ToolResult {
  content: { type: 'text'; text: string }[]
  details: undefined
}
interface ExtensionApi {
  registerTool(tool: {
    name: string
    label: string
    description: string
    promptSnippet: string
    parameters: unknown
    execute(
      id: string,
      params: { command: string; timeout_ms?: number | undefined },
      signal?: AbortSignal,
    ): Promise<ToolResult>
  }): void
}

export default function neutralShell(pi: ExtensionApi): void {
  const shell = required('RW30_SHELL')
  const cwd = required('RW30_WORKSPACE')
  pi.registerTool({
    name: 'bash',
    label: 'bash',
    description:
      `Run a shell command in the workspace and return its output (stdout and stderr together). ` +
      `Output over ${(HEAD_BYTES + TAIL_BYTES) / 1024} KB is cut in its middle. ` +
      `Optionally give a timeout in milliseconds; there is none by default.`,
    promptSnippet: 'Execute shell commands',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'Shell command to execute' },
        timeout_ms: { type: 'integer', minimum: 1, description: 'Timeout in milliseconds (optional)' },
      },
      required: ['command'],
    },
    async execute(_id, { command, timeout_ms }, signal) {
      const bytes = Buffer.byteLength(command)
      if (bytes > MAX_COMMAND_BYTES) {
        throw new Error(`The command has ${bytes} bytes, ${MAX_COMMAND_BYTES} are possible: split it into several`)
      }
      const run = await runCommand({ shell, cwd, command, timeoutMs: timeout_ms, signal })
      const note = endNote(run, timeout_ms)
      if (note !== null) throw new Error(run.output === '' ? note : `${run.output}\n\n${note}`)
      return { content: [{ type: 'text', text: run.output || '(no output)' }], details: undefined }
    },
  })
}

export interface CommandRun {
  /** Both streams, cut to its limits, without control characters. */
  output: string
  /** null when a signal ended the shell. */
  code: number | null
  signal: string | null
  /** Why the command was ended by force, null when it ended by itself. */
  ended: 'timeout' | 'abort' | null
}

/** Runs one command in the restricted shell. Rejects only when the shell cannot be started. */
export function runCommand(options: {
  shell: string
  cwd: string
  command: string
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}): Promise<CommandRun> {
  const { shell, cwd, command, timeoutMs, signal } = options
  return new Promise((resolve, reject) => {
    // The environment holds the model's token: the shell gets its own.
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', TERM: 'dumb' }
    const child = spawn('/bin/bash', ['-c', LAUNCHER, shell, command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = new CutOutput()
    let ended: CommandRun['ended'] = null
    const end = (why: 'timeout' | 'abort') => {
      ended ??= why
      killTree(child.pid)
    }
    const onAbort = () => end('abort')
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, Math.min(timeoutMs, MAX_TIMER_MS), 'timeout')
    const finish = (code: number | null, killedBy: string | null) => {
      // What a background process prints later is read and dropped: it must not die of a closed pipe.
      for (const stream of [child.stdout, child.stderr]) {
        stream.removeAllListeners('data')
        stream.resume()
        ;(stream as { unref?: () => void }).unref?.()
      }
      resolve({ output: output.text(), code, signal: killedBy, ended })
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.add(chunk))
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(new Error(`the shell could not be started: ${error.message}`))
    })
    child.once('exit', (code, killedBy) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      const drained = setTimeout(() => finish(code, killedBy), DRAIN_MS)
      child.once('close', () => {
        clearTimeout(drained)
        finish(code, killedBy)
      })
    })
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Keeps the beginning and the end of a stream of any length. */
export class CutOutput {
  #head = Buffer.alloc(0)
  #tail: Buffer[] = []
  #tailBytes = 0
  #total = 0

  add(chunk: Buffer): void {
    this.#total += chunk.length
    const room = HEAD_BYTES - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)])
    if (chunk.length <= room) return
    const rest = chunk.subarray(Math.max(0, room))
    this.#tail.push(rest)
    this.#tailBytes += rest.length
    while (this.#tailBytes - (this.#tail[0] as Buffer).length >= TAIL_BYTES) {
      this.#tailBytes -= (this.#tail.shift() as Buffer).length
    }
  }

  text(): string {
    const kept = Buffer.concat(this.#tail)
    const tail = kept.subarray(Math.max(0, kept.length - TAIL_BYTES))
    const omitted = this.#total - this.#head.length - tail.length
    if (omitted === 0) return readable(Buffer.concat([this.#head, tail]))
    const note = `[... ${omitted} of ${this.#total} bytes left out here: filter the output, or write it to a file ...]`
    return `${readable(this.#head)}\n${note}\n${readable(tail)}`
  }
}

function endNote(run: CommandRun, timeoutMs: number | undefined): string | null {
  if (run.ended === 'timeout') return `Command timed out after ${timeoutMs} ms and was ended`
  if (run.ended === 'abort') return 'Command aborted'
  if (run.signal !== null) return `Command was ended by ${run.signal}`
  return run.code === 0 ? null : `Command exited with code ${run.code}`
}

/** Text as a model may read it: terminal sequences and control characters but tab and line ends are removed. */
function readable(bytes: Buffer): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const noise = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g
  return bytes.toString('utf8').replace(noise, '').replace(/\r\n/g, '\n').trimEnd()
}

/** Ends a process, its group and all that descends from it, whatever group or session that is in. */
function killTree(pid: number | undefined) {
  if (pid === undefined) return
  const doomed = [pid, ...descendants(pid)]
  for (const target of [-pid, ...doomed]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

function descendants(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const parent = parentOf(entry)
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const found: number[] = []
  for (let todo = [root]; todo.length > 0; ) {
    const next = todo.flatMap((pid) => children.get(pid) ?? [])
    found.push(...next)
    todo = next
  }
  return found
}

function parentOf(pid: string): number | null {
  try {
    // The command's name, in parentheses, may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: this extension runs only inside an attempt`)
  return value
}
