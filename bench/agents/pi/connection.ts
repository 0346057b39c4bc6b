import type { JailProcess } from '../../jail/inside.ts'
import { AgentGone } from '../agent.ts'
import { LineSplitter } from '../support/lines.ts'
import { settlesWithin } from '../support/waiting.ts'
import type { PiRecord } from './messages.ts'

/** Bounds of what an agent may print. */
export interface OutputLimits {
  /** One line, dropped ones included. */
  lineBytes: number
  /** All lines that are kept. */
  totalBytes: number
  /** Lines that are no JSON object. */
  noiseLines: number
}
export const OUTPUT_LIMITS: OutputLimits = { lineBytes: 64 * 2 ** 20, totalBytes: 2 ** 30, noiseLines: 100 }
/** How long the rest of the output is waited for after the process's end, and the other way round. */
const EXIT_GRACE_MS = 1_000
const NOISE_SHOWN = 200

/** Long, frequent, and repeated by later lines: known by their first bytes, never parsed. */
const DROPPED_LINES = ['message_update', 'message_start', 'turn_end', 'tool_execution_update', 'entry_appended'].map(
  (type) => `{"type":"${type}"`,
)

export interface Response {
  success: boolean
  data: Record<string, unknown>
  error: string | null
}

interface Pending {
  id: string
  command: string
  resolve: (response: Response) => void
  reject: (error: AgentGone) => void
}

export interface ConnectionEvents {
  onEvent: (event: PiRecord) => void
  onWarning: (detail: string) => void
  /** Called once, when nothing more can be asked of the agent. */
  onGone: (error: AgentGone) => void
}

/** pi's protocol over its standard streams: commands with ids and their responses, events in order, the end. */
export class PiConnection {
  readonly #pending = new Map<string, Pending>()
  #lastId = 0
  #noise = 0
  #kept = 0
  #gone: AgentGone | null = null
  readonly #lines: LineSplitter

  constructor(
    readonly process: JailProcess,
    readonly events: ConnectionEvents,
    readonly limits: OutputLimits = OUTPUT_LIMITS,
  ) {
    this.#lines = new LineSplitter({
      maxLineBytes: limits.lineBytes,
      skip: (head) => DROPPED_LINES.some((prefix) => head.startsWith(prefix)),
      onLine: (line) => this.#read(line),
      onTooLong: (bytes) =>
        this.#end('agent_output_limit', `a line of ${bytes} bytes or more (limit ${limits.lineBytes})`),
    })
    const ended = new Promise<void>((resolve) => {
      process.stdout.on('data', (chunk: Buffer) => this.#lines.push(chunk))
      for (const event of ['end', 'close', 'error']) process.stdout.once(event, () => resolve())
    })
    process.stdin.on('error', () => {}) // A broken pipe shows as the process's end.
    void this.#watchEnd(ended)
  }

  /** Why the agent is gone, null while it is there. */
  get gone(): AgentGone | null {
    return this.#gone
  }

  /**
   * Sends a command and waits for its response. Rejects with AgentGone only. `onResponse` is called before anything that
   * follows the response is read, which the promise cannot promise.
   */
  command(
    body: { type: string } & Record<string, unknown>,
    onResponse: (response: Response) => void = () => {},
  ): Promise<Response> {
    if (this.#gone) return Promise.reject(this.#gone)
    const id = `rw30-${++this.#lastId}`
    return new Promise((resolve, reject) => {
      const settle = (response: Response) => {
        onResponse(response)
        resolve(response)
      }
      this.#pending.set(id, { id, command: body.type, resolve: settle, reject })
      this.write({ id, ...body })
    })
  }

  /** Sends a record that has no response. */
  write(record: Record<string, unknown>): void {
    if (this.process.stdin.writable) this.process.stdin.write(`${JSON.stringify(record)}\n`)
  }

  /** Ends the connection from the reader's side, for a reason that only the caller can see. */
  giveUp(message: string): void {
    this.#end('agent_protocol', message)
  }

  #read(line: string) {
    if (this.#gone || line === '') return
    this.#kept += Buffer.byteLength(line)
    if (this.#kept > this.limits.totalBytes) {
      return this.#end('agent_output_limit', `more than ${this.limits.totalBytes} bytes of output`)
    }
    const record = parseRecord(line)
    if (record === null) return this.#readNoise(line)
    if (record.type === 'response') this.#readResponse(record)
    else this.events.onEvent(record)
  }

  #readNoise(line: string) {
    this.#noise++
    this.events.onWarning(`output that is no protocol record: ${line.slice(0, NOISE_SHOWN)}`)
    if (this.#noise > this.limits.noiseLines) {
      this.#end('agent_protocol', `more than ${this.limits.noiseLines} lines that are no protocol records`)
    }
  }

  #readResponse(record: PiRecord) {
    const pending = this.#pendingOf(record)
    const error = typeof record.error === 'string' ? record.error : null
    if (!pending) return this.events.onWarning(`response to no command: ${error ?? String(record.command)}`)
    this.#pending.delete(pending.id)
    const data = typeof record.data === 'object' && record.data !== null ? record.data : {}
    pending.resolve({ success: record.success === true, data: data as Record<string, unknown>, error })
  }

  /** An unknown command and a parse error are answered without an id: they concern the oldest command they can. */
  #pendingOf(record: PiRecord): Pending | undefined {
    if (typeof record.id === 'string') return this.#pending.get(record.id)
    const waiting = [...this.#pending.values()]
    if (record.success === true) return undefined
    return (
      waiting.find(({ command }) => command === record.command) ?? (record.command === 'parse' ? waiting[0] : undefined)
    )
  }

  async #watchEnd(ended: Promise<void>) {
    const exited = this.process.exited
    const first = await Promise.race([ended.then(() => 'output' as const), exited.then(() => 'process' as const)])
    const both = await settlesWithin(first === 'output' ? exited : ended, EXIT_GRACE_MS)
    this.#lines.end()
    if (first === 'output' && !both) return this.#end('agent_closed_output', 'its output ended, its process did not')
    const { code, signal } = await exited
    this.#end('agent_exited', signal ? `it was ended by ${signal}` : `it exited with code ${code}`)
  }

  #end(reason: AgentGone['reason'], message: string) {
    if (this.#gone) return
    this.#gone = new AgentGone(reason, `the agent is gone: ${message}`)
    this.#lines.close()
    // Read on and discard, so that a process that is being ended never waits for a full pipe.
    this.process.stdout.resume()
    for (const { reject } of this.#pending.values()) reject(this.#gone)
    this.#pending.clear()
    this.events.onGone(this.#gone)
  }
}

function parseRecord(line: string): PiRecord | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
      ? (value as PiRecord)
      : null
  } catch {
    return null
  }
}
