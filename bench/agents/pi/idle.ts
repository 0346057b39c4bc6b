import { z } from 'zod'
import type { PiRecord } from './messages.ts'

/**
 * When is pi idle? The second generation says `agent_settled`. The first says only `agent_end`, after which a retry or
 * a compaction may follow at once: it has to be asked (`get_state`), and its answer holds only while no retry waits.
 */
export class IdleRule {
  /** Known after the first response to a prompt, or the first `agent_settled`. */
  settles = false
  #retryWaits = false
  #compactionRetries = false

  /** What an event means: the agent `settled`, it is time to `ask` for the state, or nothing. */
  observe(event: PiRecord): 'settled' | 'ask' | null {
    switch (event.type) {
      case 'agent_settled':
        this.settles = true
        return 'settled'
      case 'agent_start':
        this.#retryWaits = false
        this.#compactionRetries = false
        return null
      case 'auto_retry_start':
        this.#retryWaits = true
        return null
      case 'auto_retry_end':
        this.#retryWaits = false
        return 'ask'
      case 'compaction_end':
        this.#compactionRetries = event.willRetry === true
        return 'ask'
      case 'agent_end':
      case 'session_action_update':
        return 'ask'
      default:
        return null
    }
  }

  /** Whether the answer to `get_state` means idle, by what was seen until it came. */
  isIdle(data: Record<string, unknown>): boolean {
    const state = StateSchema.safeParse(data)
    if (!state.success) return false
    const { isStreaming, isCompacting, pendingMessageCount, sessionActions } = state.data
    const queued = (pendingMessageCount ?? 0) + (sessionActions?.queuedCount ?? 0)
    const active = Boolean(sessionActions?.active)
    return !isStreaming && !isCompacting && queued === 0 && !active && !this.#retryWaits && !this.#compactionRetries
  }
}

const StateSchema = z.looseObject({
  isStreaming: z.boolean(),
  isCompacting: z.boolean(),
  pendingMessageCount: z.number().optional(),
  /** A fork has this in place of pendingMessageCount. */
  sessionActions: z.looseObject({ queuedCount: z.number(), active: z.unknown().optional() }).optional(),
})
