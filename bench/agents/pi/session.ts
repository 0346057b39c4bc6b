import type { JailProcess } from '../../jail/inside.ts'
import type { AgentEventBody, AgentGone, AgentSession, TurnEnd } from '../agent.ts'
import { orAborted, settlesWithin } from '../support/waiting.ts'
import { OUTPUT_LIMITS, type OutputLimits, PiConnection, type Response } from './connection.ts'
import { IdleRule } from './idle.ts'
import { MessageSchema, type PiRecord, textOf, translate } from './messages.ts'

/** Bounds of the waiting for an agent that does not answer. */
export interface Patience {
  /** How long the answer to `abort` is waited for before the signal's reason is thrown. */
  abortMs: number
  /** How long `stop` waits for the process to end by itself. */
  stopMs: number
  /** First generation only: without an event for this long, the state is asked for. */
  quietMs: number
}
export const PATIENCE: Patience = { abortMs: 2_000, stopMs: 3_000, quietMs: 10_000 }

/** Extension dialogs that wait for an answer; nobody is there to give one. */
const DIALOGS = ['select', 'confirm', 'input', 'editor']

/** One `send`: what was seen of it, and the promise of its end. */
class Turn {
  text: string | null = null
  stop: TurnEnd['stop'] = 'idle'
  detail: string | null = null
  /** The prompt was accepted, so that an idle agent has finished it. */
  accepted = false
  readonly ended: Promise<TurnEnd>
  #resolve: (end: TurnEnd) => void = () => {}
  #reject: (error: AgentGone) => void = () => {}

  constructor() {
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  finish() {
    this.#resolve({ stop: this.stop, text: this.text, detail: this.detail })
  }

  fail(error: AgentGone) {
    this.#reject(error)
  }
}

/** A conversation with a running pi. */
export class PiSession implements AgentSession {
  readonly #connection: PiConnection
  readonly #idle = new IdleRule()
  #turn: Turn | null = null
  #asking = false
  #askAgain = false
  #quiet: NodeJS.Timeout | undefined

  constructor(
    readonly process: JailProcess,
    readonly emit: (event: AgentEventBody) => void,
    readonly patience: Patience = PATIENCE,
    limits: OutputLimits = OUTPUT_LIMITS,
  ) {
    const handlers = {
      onEvent: (event: PiRecord) => this.#observe(event),
      onWarning: (detail: string) => emit({ type: 'warning', detail }),
      onGone: (error: AgentGone) => this.#turn?.fail(error),
    }
    this.#connection = new PiConnection(process, handlers, limits)
  }

  async send(message: string, signal: AbortSignal): Promise<TurnEnd> {
    signal.throwIfAborted()
    if (this.#connection.gone) throw this.#connection.gone
    if (this.#turn) throw new Error('one message at a time: the turn before has not ended')
    const turn = new Turn()
    this.#turn = turn
    this.emit({ type: 'turn_started' })
    try {
      this.#prompt(message, turn)
      const end = await orAborted(turn.ended, signal)
      this.emit({ type: 'turn_ended', stop: end.stop, detail: end.detail })
      return end
    } catch (error) {
      await this.#leave(signal)
      const stop = signal.aborted ? 'aborted' : 'error'
      this.emit({ type: 'turn_ended', stop, detail: error instanceof Error ? error.message : String(error) })
      throw error
    } finally {
      this.#turn = null
      clearTimeout(this.#quiet)
    }
  }

  async compact(
    signal: AbortSignal,
  ): Promise<{ phase: 'completed' | 'failed' | 'unsupported'; detail: string | null }> {
    signal.throwIfAborted()
    if (this.#connection.gone) throw this.#connection.gone
    this.emit({ type: 'compaction', phase: 'requested', origin: 'requested', detail: null })
    try {
      const { success, error } = await orAborted(this.#connection.command({ type: 'compact' }), signal)
      const unknown = !success && /^unknown command/i.test(error ?? '')
      const phase = success ? 'completed' : unknown ? 'unsupported' : 'failed'
      const end = { phase, detail: success ? null : (error ?? 'no reason given') } as const
      this.emit({ type: 'compaction', origin: 'requested', ...end })
      return end
    } catch (error) {
      await this.#leave(signal)
      const detail = error instanceof Error ? error.message : String(error)
      this.emit({ type: 'compaction', phase: 'failed', origin: 'requested', detail })
      throw error
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#quiet)
    this.process.stdin.end()
    await settlesWithin(this.process.exited, this.patience.stopMs)
  }

  #prompt(message: string, turn: Turn) {
    // A plain prompt is refused by some forks after a compaction or an abort; queued behind nothing, it starts at once.
    const prompt = { type: 'prompt', message, streamingBehavior: 'followUp' }
    const onResponse = ({ success, error, data }: Response) => {
      if (turn !== this.#turn) return
      if (!success) {
        turn.stop = 'error'
        turn.detail = `the message was refused: ${error ?? 'no reason given'}`
        return turn.finish()
      }
      turn.accepted = true
      if (data.disposition !== undefined) this.#idle.settles = true
      if (data.disposition === 'handled') return turn.finish()
      this.#watchQuiet()
    }
    this.#connection.command(prompt, onResponse).catch(() => {}) // onGone fails the turn.
  }

  #observe(event: PiRecord) {
    for (const translated of translate(event)) this.emit(translated)
    if (event.type === 'extension_ui_request') this.#answerDialog(event)
    if (this.#turn && event.type === 'message_end') noteMessage(this.#turn, event.message)
    const meaning = this.#idle.observe(event)
    if (!this.#turn) return
    if (meaning === 'settled') {
      if (event.aborted === true) this.#turn.stop = 'aborted'
      return this.#turn.finish()
    }
    if (this.#idle.settles) return
    this.#watchQuiet()
    if (meaning === 'ask') this.#askState()
  }

  /** First generation: asks for the state, and again when something happened before the answer came. */
  #askState() {
    const turn = this.#turn
    if (!turn) return
    this.#askAgain = this.#asking
    if (this.#asking) return
    this.#asking = true
    const onResponse = ({ success, data }: Response) => {
      this.#asking = false
      if (this.#askAgain) return this.#askState()
      if (turn === this.#turn && turn.accepted && success && this.#idle.isIdle(data)) turn.finish()
    }
    this.#connection.command({ type: 'get_state' }, onResponse).catch(() => {}) // onGone fails the turn.
  }

  /** First generation: a prompt that an extension handled, or a run that failed early, ends without any event. */
  #watchQuiet() {
    clearTimeout(this.#quiet)
    if (this.#idle.settles || !this.#turn) return
    this.#quiet = setTimeout(() => {
      this.#askState()
      this.#watchQuiet()
    }, this.patience.quietMs)
  }

  #answerDialog(event: PiRecord) {
    const method = String(event.method)
    if (DIALOGS.includes(method)) {
      this.emit({
        type: 'warning',
        detail: `an extension asked the user (${method}: ${String(event.title)}); cancelled`,
      })
      this.#connection.write({ type: 'extension_ui_response', id: event.id, cancelled: true })
    } else if (method === 'notify' && event.notifyType === 'error') {
      this.emit({ type: 'warning', detail: `an extension says: ${String(event.message)}` })
    }
  }

  /** The caller no longer waits: the agent is told to stop working, as long as it answers. */
  async #leave(signal: AbortSignal) {
    if (!signal.aborted || this.#connection.gone) return
    await settlesWithin(this.#connection.command({ type: 'abort' }), this.patience.abortMs)
  }
}

function noteMessage(turn: Turn, value: unknown) {
  const message = MessageSchema.safeParse(value).data
  if (message?.role !== 'assistant') return
  const text = textOf(message.content)
  if (text !== '') turn.text = text
  const reason = message.stopReason
  turn.stop = reason === 'error' || reason === 'aborted' ? reason : 'idle'
  turn.detail = message.errorMessage ?? (reason === 'length' ? 'the answer was cut at the output limit' : null)
}
