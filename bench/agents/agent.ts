import type { z } from 'zod'
import type { Tokens } from '../gateway/call.ts'
import type { JailPaths, JailProcess } from '../jail/inside.ts'

/** What every agent says, in one vocabulary. `at` is milliseconds since the epoch. */
export type AgentEvent = { at: number } & (
  | { type: 'turn_started' }
  | { type: 'turn_ended'; stop: 'idle' | 'error' | 'aborted'; detail: string | null }
  | { type: 'message'; role: 'user' | 'assistant'; text: string }
  | { type: 'model_call'; model: string | null; tokens: Tokens; cost_usd: number | null; stop_reason: string | null }
  | { type: 'tool_started'; id: string; name: string; input: unknown }
  | { type: 'tool_ended'; id: string; name: string; is_error: boolean; result_bytes: number; text: string }
  | { type: 'compaction'; phase: CompactionPhase; origin: 'requested' | 'natural'; detail: string | null }
  | { type: 'retry'; attempt: number; detail: string }
  | { type: 'warning'; detail: string }
)
export type AgentEventBody = AgentEvent extends infer E ? (E extends AgentEvent ? Omit<E, 'at'> : never) : never
export type CompactionPhase = 'requested' | 'completed' | 'failed' | 'unsupported'

/** How a turn ended: `idle` is the ordinary end, `error` an agent that gave up and may be spoken to again. */
export interface TurnEnd {
  stop: 'idle' | 'error' | 'aborted'
  /** The last assistant text of the turn, null when there was none. */
  text: string | null
  detail: string | null
}

/** The agent process died, closed its output, or spoke nonsense: the attempt cannot go on. */
export class AgentGone extends Error {
  override name = 'AgentGone'
  constructor(
    readonly reason: 'agent_exited' | 'agent_closed_output' | 'agent_protocol' | 'agent_output_limit',
    message: string,
  ) {
    super(message)
  }
}

/** What an arm asks of an adapter (from rw30.config.ts). */
export interface AgentSpec {
  /** Name of the adapter, which is the name of its file in bench/agents/. */
  agent: string
  /** Name of the host prefix (bench/hosts/) that holds the agent's CLI. */
  host: string
  /** Absolute paths, on this machine, of extensions that the agent loads. */
  extensions: string[]
  /** Adapter-specific settings, merged over the adapter's own. */
  settings: Record<string, unknown>
}

/** The model as the agent sees it: always the gateway, on the loopback of its jail. */
export interface AgentModel {
  id: string
  wire: 'chat-completions'
  /** Ends in /v1. */
  baseUrl: string
  /** Known to the gateway and to this attempt only; opens nothing else. */
  token: string
  contextWindow: number
  maxOutputTokens: number
  reasoning: string | null
  /** Newest tokens that a compaction keeps, where the agent lets that be set; null: the agent's default. */
  compactionKeepsTokens: number | null
}

/** Everything an adapter wants started, as data. Paths are the jail's. */
export interface LaunchPlan {
  argv: string[]
  env: Record<string, string>
  /** Path below the home -> content, written before the start. */
  homeFiles: Record<string, string>
  /** Name below `JailPaths.extras` -> path on this machine (file or folder), bound read-only. */
  mounts: Record<string, string>
}

/** A running agent. One message at a time; every method ends early when `signal` aborts. */
export interface AgentSession {
  /** Sends a message and waits until the agent is idle. Rejects with AgentGone, or with the signal's reason. */
  send(message: string, signal: AbortSignal): Promise<TurnEnd>
  /** Asks for one compaction and waits for its end. Never rejects for a compaction that merely failed. */
  compact(signal: AbortSignal): Promise<{ phase: Exclude<CompactionPhase, 'requested'>; detail: string | null }>
  /** Asks the agent to end by itself; the jail ends it anyway. Never rejects. */
  stop(): Promise<void>
}

/** One agent host: a file in bench/agents/ that exports `adapter`. */
export interface AgentAdapter {
  readonly name: string
  /** What an arm may set (`settings`); checked before a run begins. */
  readonly settings: z.ZodType
  plan(spec: AgentSpec, model: AgentModel, paths: JailPaths): LaunchPlan
  /** Speaks the host's protocol over its streams; `emit` receives every event in order. */
  connect(process: JailProcess, emit: (event: AgentEventBody) => void): AgentSession
}
