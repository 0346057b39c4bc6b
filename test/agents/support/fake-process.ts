import { PassThrough } from 'node:stream'
import type { AgentEventBody } from '../../../bench/agents/agent.ts'
import { OUTPUT_LIMITS, type OutputLimits } from '../../../bench/agents/pi/connection.ts'
import { type Patience, PiSession } from '../../../bench/agents/pi/session.ts'

export type Command = { id: string; type: string; message?: string } & Record<string, unknown>
type Answer = (command: Command, agent: FakeAgent) => void

/** An agent process made of two pipes: `answers` says what it prints when a command of that type arrives. */
export class FakeAgent {
  readonly stdin = new PassThrough()
  readonly stdout = new PassThrough()
  readonly commands: Command[] = []
  readonly events: AgentEventBody[] = []
  readonly session: PiSession
  exit: (code: number | null, signal?: string | null) => void = () => {}

  constructor(
    readonly answers: Record<string, Answer>,
    over: { patience?: Partial<Patience>; limits?: Partial<OutputLimits> } = {},
  ) {
    const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      this.exit = (code, signal = null) => resolve({ code, signal })
    })
    let rest = ''
    this.stdin.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(JSON.parse(line))
    })
    const process = { stdin: this.stdin, stdout: this.stdout, exited }
    const patience = { abortMs: 20, stopMs: 20, quietMs: 20, ...over.patience }
    const limits = { ...OUTPUT_LIMITS, ...over.limits }
    this.session = new PiSession(process, (event) => this.events.push(event), patience, limits)
  }

  say(...records: object[]): void {
    for (const record of records) this.stdout.write(`${JSON.stringify(record)}\n`)
  }

  ok(command: Command, data: object | undefined = undefined): void {
    this.say({ id: command.id, type: 'response', command: command.type, success: true, ...(data && { data }) })
  }

  no(command: Command, error: string): void {
    this.say({ id: command.id, type: 'response', command: command.type, success: false, error })
  }

  of<T extends AgentEventBody['type']>(type: T): Extract<AgentEventBody, { type: T }>[] {
    return this.events.filter((event) => event.type === type) as Extract<AgentEventBody, { type: T }>[]
  }

  #take(command: Command) {
    this.commands.push(command)
    this.answers[command.type]?.(command, this)
  }
}

/** The state of a first-generation pi, idle unless said otherwise. */
export const state = (over: object = {}) => ({
  isStreaming: false,
  isCompacting: false,
  pendingMessageCount: 0,
  ...over,
})

/** message_end of an assistant, as recorded from pi 1.6.0. */
export const assistant = (text: string, over: object = {}) => ({
  type: 'message_end',
  message: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text },
    ],
    model: 'fake-1',
    usage: {
      input: 1002,
      output: 7,
      cacheRead: 200,
      cacheWrite: 0,
      reasoning: 2,
      totalTokens: 1209,
      cost: { input: 0.001, output: 0.00007, cacheRead: 0.00002, cacheWrite: 0, total: 0.00109 },
    },
    stopReason: 'stop',
    ...over,
  },
})
export const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { total: 0 } }
