import type { AgentEvent, AgentEventBody } from '../agents/agent.ts'
import { TOKEN_KINDS, type Tokens, UNKNOWN_TOKENS } from '../gateway/call.ts'
import type { AttemptLogs } from './logs.ts'
import type { AttemptRecord } from './record.ts'
import { ATTEMPT_FILES } from './record-store.ts'

/** Longest text of one message or tool result in the transcript; events.jsonl keeps as much. */
const TEXT_LIMIT = 64 * 1024

/** Milliseconds since the epoch that never step back, as a wall clock that is set does: durations are made of them. */
const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now())

/** How an agent says that a call got no answer: the gateway counts it as failed. */
const UNANSWERED: ReadonlySet<string | null> = new Set(['error', 'aborted'])

/** Different warnings that the record keeps, and the longest of them; events.jsonl has all. */
const WARNINGS = { kept: 20, characters: 300 }

type Compaction = AttemptRecord['compactions'][number]

/**
 * What an agent did, as it happens: every event goes to events.jsonl and in words to transcript.md, and the sums that the
 * record needs are kept here. Nothing is buffered: what was seen is on disk.
 */
export class Journal {
  readonly tools = { calls: 0, errors: 0, result_bytes: 0 }
  readonly compactions: Compaction[] = []
  retries = 0
  /** Tool calls by stage id. */
  readonly toolCallsOf = new Map<string, number>()
  readonly reported = { calls: 0, tokens: { ...UNKNOWN_TOKENS } as Tokens, cost_usd: null as number | null }
  /** Milliseconds during which at least one tool ran. */
  toolsMs = 0

  #stage: string | null = null
  readonly #warned = new Map<string, number>()
  readonly #running = new Set<string>()
  #toolsSince = 0
  #compactingSince: number | null = null

  constructor(
    private readonly logs: AttemptLogs,
    private readonly redact: (text: string) => string,
    title: string,
    private readonly now: () => number = steadyNow,
  ) {
    this.#transcript(`# ${title}`)
  }

  /** Notes that a stage begins; later events belong to it. */
  beginStage(stage: string): void {
    this.#stage = stage
    this.toolCallsOf.set(stage, 0)
    this.#transcript(`\n## Stage ${stage}`)
  }

  /** Each warning once, redacted, with the number of times where it came again. */
  warnings(): string[] {
    return [...this.#warned].map(([detail, times]) => (times === 1 ? detail : `${detail} (${times} times)`))
  }

  #warn(detail: string): void {
    const warning = this.redact(clip(detail, WARNINGS.characters))
    const times = this.#warned.get(warning) ?? 0
    if (times > 0 || this.#warned.size < WARNINGS.kept) this.#warned.set(warning, times + 1)
  }

  /** Takes one event of the agent, in order. */
  add(body: AgentEventBody): AgentEvent {
    const event = { at: this.now(), ...body } as AgentEvent
    this.#sum(event)
    const line = JSON.stringify({ stage: this.#stage, ...event }, (_key, value) =>
      typeof value === 'string' ? this.redact(clip(value)) : value,
    )
    this.logs.append(ATTEMPT_FILES.events, `${line}\n`)
    const words = inWords(event)
    if (words) this.#transcript(words)
    return event
  }

  #sum(event: AgentEvent): void {
    if (event.type === 'tool_started') {
      if (this.#running.size === 0) this.#toolsSince = event.at
      this.#running.add(event.id)
      this.tools.calls += 1
      if (this.#stage) this.toolCallsOf.set(this.#stage, (this.toolCallsOf.get(this.#stage) ?? 0) + 1)
    } else if (event.type === 'tool_ended') {
      this.tools.errors += event.is_error ? 1 : 0
      this.tools.result_bytes += event.result_bytes
      if (this.#running.delete(event.id) && this.#running.size === 0) this.toolsMs += event.at - this.#toolsSince
    } else if (event.type === 'retry') this.retries += 1
    else if (event.type === 'warning') this.#warn(event.detail)
    else if (event.type === 'model_call' && !UNANSWERED.has(event.stop_reason))
      this.#report(event.tokens, event.cost_usd)
    else if (event.type === 'compaction') this.#compaction(event)
  }

  #report(tokens: Tokens, cost: number | null): void {
    const { reported } = this
    reported.calls += 1
    for (const kind of TOKEN_KINDS) {
      const value = tokens[kind]
      if (value !== null) reported.tokens[kind] = (reported.tokens[kind] ?? 0) + value
    }
    if (cost !== null) reported.cost_usd = (reported.cost_usd ?? 0) + cost
  }

  /** A request opens an entry; its end, or a natural compaction, completes or adds one. */
  #compaction(event: AgentEvent & { type: 'compaction' }): void {
    if (event.phase === 'requested') {
      this.#compactingSince = event.at
      this.compactions.push({
        after_stage: this.#stage,
        origin: event.origin,
        phase: 'requested',
        duration_ms: null,
        detail: event.detail,
      })
      return
    }
    const open = this.compactions.findLast((entry) => entry.phase === 'requested' && entry.origin === event.origin)
    const entry = open ?? {
      after_stage: this.#stage,
      origin: event.origin,
      phase: event.phase,
      duration_ms: null,
      detail: null,
    }
    if (!open) this.compactions.push(entry)
    entry.phase = event.phase
    entry.detail = event.detail === null ? null : this.redact(clip(event.detail, 500))
    if (this.#compactingSince !== null) entry.duration_ms = event.at - this.#compactingSince
    this.#compactingSince = null
  }

  /** Closes what was open when the agent ended: a tool that never came back was running until now. */
  end(): void {
    if (this.#running.size > 0) this.toolsMs += this.now() - this.#toolsSince
    this.#running.clear()
    for (const entry of this.compactions)
      if (entry.phase === 'requested')
        Object.assign(entry, { phase: 'failed', detail: 'the attempt ended before it did' })
  }

  #transcript(text: string): void {
    this.logs.append(ATTEMPT_FILES.transcript, `${this.redact(text)}\n`)
  }
}

function clip(text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit / 2)}\n[… ${text.length - limit} characters left out …]\n${text.slice(-limit / 2)}`
}

/** A code block whose fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

function inWords(event: AgentEvent): string | null {
  switch (event.type) {
    case 'message':
      return `\n### ${event.role === 'user' ? 'User' : 'Agent'}\n\n${clip(event.text)}`
    case 'tool_started': {
      const input = event.input as { command?: unknown } | null
      const command = typeof input?.command === 'string' ? input.command : JSON.stringify(event.input)
      return `\n#### ${event.name}\n\n${fenced(clip(command))}`
    }
    case 'tool_ended':
      return `\n${event.is_error ? 'failed' : 'answered'}:\n\n${fenced(clip(event.text))}`
    case 'compaction':
      return `\n_compaction ${event.phase} (${event.origin})${event.detail ? `: ${clip(event.detail, 500)}` : ''}_`
    case 'retry':
      return `\n_retry ${event.attempt}: ${clip(event.detail, 500)}_`
    case 'warning':
      return `\n_${clip(event.detail, 500)}_`
    case 'turn_ended':
      return event.stop === 'idle'
        ? null
        : `\n_turn ended: ${event.stop}${event.detail ? `, ${clip(event.detail, 500)}` : ''}_`
    default:
      return null
  }
}
