import { AgentGone, type AgentSession, type TurnEnd } from '../agents/agent.ts'
import type { Stage } from '../corpus/scenario.ts'
import type { ModelCall } from '../gateway/call.ts'
import type { Journal } from './journal.ts'
import type { Reason } from './outcome.ts'
import type { AttemptRecord } from './record.ts'
import type { Workspace } from './workspace.ts'

/** A model that has not sent a byte for so long, or for half of the limit, counts as silent when the deadline comes. */
export const MODEL_SILENCE_MS = 60_000

/** How the conversation ended; `reason` is null when every stage was answered. */
export interface ConversationEnd {
  reason: Reason | null
  detail: string | null
}

/** What the conversation needs of the gateway. */
export interface ModelMeter {
  setStage(stage: string | null): void
  setCompacting(compacting: boolean): void
  readonly calls: readonly ModelCall[]
  /** Milliseconds since the oldest request that still waits for its first byte came in; null when none waits. */
  silentMs(): number | null
}

export interface Conversation {
  session: AgentSession
  stages: readonly Stage[]
  workspace: Workspace
  meter: ModelMeter
  journal: Journal
  /** Milliseconds for all stages together. */
  limitMs: number
  /** The run is being stopped. */
  stop: AbortSignal
  /** Filled in place, so that a partial record is right at any moment. */
  record: AttemptRecord
  progress(): void
  /** The last stage's message goes out now. */
  lastStage(): void
}

/** The limit is over; `silentMs` is how long the model had then been silent (null: it was not waited for). */
class Deadline extends Error {
  constructor(readonly silentMs: number | null) {
    super('deadline')
  }
}

/**
 * Leads an agent through the stages of a task under one deadline. Files of a stage appear only now that the agent is idle; an
 * early "done" is answered with the next stage; a compaction is asked for where the scenario says, and its failure ends nothing.
 */
export async function converse(talk: Conversation): Promise<ConversationEnd> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new Deadline(talk.meter.silentMs())), talk.limitMs)
  const signal = AbortSignal.any([talk.stop, deadline.signal])
  try {
    for (const [index, stage] of talk.stages.entries()) {
      if (index > 0) talk.workspace.inject(stage.id)
      if (index === talk.stages.length - 1) talk.lastStage()
      const turn = await runStage(talk, index, stage, signal)
      if (turn.stop !== 'idle') return turnFailed(talk, stage, turn)
      if (stage.compact_after) await compact(talk, signal)
    }
    return { reason: null, detail: null }
  } catch (error) {
    return interpret(error, talk)
  } finally {
    clearTimeout(timer)
    talk.meter.setCompacting(false)
  }
}

async function runStage(talk: Conversation, index: number, stage: Stage, signal: AbortSignal): Promise<TurnEnd> {
  const entry = talk.record.stages[index]!
  talk.meter.setStage(stage.id)
  talk.journal.beginStage(stage.id)
  entry.status = 'running'
  talk.progress()
  const start = performance.now()
  try {
    const turn = await talk.session.send(stage.message, signal)
    entry.status = turn.stop === 'idle' ? 'done' : 'failed'
    return turn
  } catch (error) {
    entry.status = 'failed'
    throw error
  } finally {
    entry.agent_ms = performance.now() - start
    talk.record.times.agent_ms = (talk.record.times.agent_ms ?? 0) + entry.agent_ms
  }
}

async function compact(talk: Conversation, signal: AbortSignal): Promise<void> {
  const start = performance.now()
  talk.meter.setCompacting(true)
  try {
    await talk.session.compact(signal)
  } finally {
    talk.meter.setCompacting(false)
    const took = performance.now() - start
    talk.record.times.agent_ms = (talk.record.times.agent_ms ?? 0) + took
  }
}

/** A turn that the agent ended with an error: the model's fault when the stage's last call failed, else its own. */
function turnFailed(talk: Conversation, stage: Stage, turn: TurnEnd): ConversationEnd {
  const last = talk.meter.calls.findLast((call) => call.stage === stage.id)
  if (last?.error || (last?.status ?? 200) >= 400)
    return {
      reason: 'model_unavailable',
      detail: `${last?.error ?? `HTTP ${last?.status}`}; the agent says: ${turn.detail ?? 'nothing'}`,
    }
  return { reason: 'agent_turn_failed', detail: turn.detail ?? `the turn was ${turn.stop}` }
}

function interpret(error: unknown, talk: Conversation): ConversationEnd {
  if (talk.stop.aborted) return { reason: 'stopped', detail: null }
  if (error instanceof Deadline) {
    const silent = error.silentMs
    if (silent !== null && silent >= Math.min(MODEL_SILENCE_MS, talk.limitMs / 2))
      return {
        reason: 'model_unavailable',
        detail: `at the deadline the model had been silent for ${Math.round(silent / 1000)} s`,
      }
    const last = talk.meter.calls.at(-1)
    if (last && (last.error !== null || (last.status ?? 0) >= 400) && silent === null)
      return {
        reason: 'model_unavailable',
        detail: `at the deadline the last call had failed: ${last.error ?? `HTTP ${last.status}`}`,
      }
    return { reason: 'deadline', detail: `${talk.limitMs / 1000} s` }
  }
  if (error instanceof AgentGone) return { reason: error.reason, detail: error.message }
  throw error
}
