import { z } from 'zod'
import { type Tokens, UNKNOWN_TOKENS } from '../../gateway/call.ts'
import type { AgentEventBody } from '../agent.ts'

const count = z.number().nonnegative().nullish()
const UsageSchema = z.looseObject({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
  cost: z.looseObject({ total: count }).nullish(),
})
const ContentSchema = z
  .union([z.string(), z.array(z.looseObject({ type: z.string().optional(), text: z.string().optional() }))])
  .nullish()

export const MessageSchema = z.looseObject({
  role: z.string(),
  content: ContentSchema,
  model: z.string().nullish(),
  usage: UsageSchema.nullish(),
  stopReason: z.string().nullish(),
  errorMessage: z.string().nullish(),
})

/** An event of pi, or a response to a command; what else it holds depends on its type. */
export type PiRecord = { type: string } & Record<string, unknown>

/**
 * Tokens and cost as pi reports them: `input` is already without cached parts. All zeros is what pi writes for a call
 * that failed, was aborted or had no usage, and a cost of 0 is what it computes without prices: both are unknown.
 */
export function reportedUsage(usage: z.infer<typeof UsageSchema> | null | undefined): {
  tokens: Tokens
  cost_usd: number | null
} {
  const sum = (usage?.input ?? 0) + (usage?.output ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0)
  if (!usage || sum === 0) return { tokens: UNKNOWN_TOKENS, cost_usd: null }
  const tokens = {
    fresh_input: usage.input ?? null,
    cache_read: usage.cacheRead ?? null,
    cache_write: usage.cacheWrite ?? null,
    output: usage.output ?? null,
    reasoning: usage.reasoning ?? null,
  }
  return { tokens, cost_usd: usage.cost?.total || null }
}

/** The text parts of a message or a tool result, joined; thinking and images are left out. */
export function textOf(content: unknown): string {
  const parsed = ContentSchema.safeParse(content)
  if (!parsed.success || !parsed.data) return ''
  if (typeof parsed.data === 'string') return parsed.data
  return parsed.data
    .filter((part) => part.type === 'text')
    .map((part) => part.text ?? '')
    .join('')
}

/** A pi event in the vocabulary of all agents. What is about turns and idleness is not translated here. */
export function translate(event: PiRecord): AgentEventBody[] {
  switch (event.type) {
    case 'message_end':
      return messageEvents(event.message)
    case 'tool_execution_start':
      return [{ type: 'tool_started', id: text(event.toolCallId), name: text(event.toolName), input: event.args }]
    case 'tool_execution_end': {
      const result = textOf(z.looseObject({ content: z.unknown() }).safeParse(event.result).data?.content)
      const ended = { id: text(event.toolCallId), name: text(event.toolName), is_error: event.isError === true }
      return [{ type: 'tool_ended', ...ended, result_bytes: Buffer.byteLength(result), text: result }]
    }
    case 'auto_retry_start':
    case 'summarization_retry_scheduled': {
      const attempt = typeof event.attempt === 'number' ? event.attempt : 1
      return [{ type: 'retry', attempt, detail: text(event.errorMessage) }]
    }
    case 'compaction_start':
      return isManual(event) ? [] : [naturalCompaction('requested', text(event.reason))]
    case 'compaction_end':
      return compactionEvents(event)
    case 'extension_error':
      return [{ type: 'warning', detail: `extension failed: ${text(event.error) || JSON.stringify(event)}` }]
    case 'refine_failed':
      return [{ type: 'warning', detail: `refine failed: ${text(event.error)}` }]
    default:
      return []
  }
}

function messageEvents(value: unknown): AgentEventBody[] {
  const parsed = MessageSchema.safeParse(value)
  if (!parsed.success) return [{ type: 'warning', detail: `unreadable message: ${z.prettifyError(parsed.error)}` }]
  const message = parsed.data
  const said = textOf(message.content)
  if (message.role === 'user') return [{ type: 'message', role: 'user', text: said }]
  if (message.role !== 'assistant') return []
  const call: AgentEventBody = {
    type: 'model_call',
    model: message.model ?? null,
    ...reportedUsage(message.usage),
    stop_reason: message.stopReason ?? null,
  }
  return said === '' ? [call] : [call, { type: 'message', role: 'assistant', text: said }]
}

function compactionEvents(event: PiRecord): AgentEventBody[] {
  const result = z.looseObject({ usage: UsageSchema.nullish() }).safeParse(event.result).data
  const events: AgentEventBody[] = []
  if (result?.usage) {
    events.push({ type: 'model_call', model: null, ...reportedUsage(result.usage), stop_reason: 'compaction' })
  }
  if (!isManual(event)) {
    const failed = event.aborted === true || !result
    const detail = text(event.errorMessage) || (event.aborted === true ? 'aborted' : text(event.reason))
    events.push(naturalCompaction(failed ? 'failed' : 'completed', detail))
  }
  return events
}

function naturalCompaction(phase: 'requested' | 'completed' | 'failed', detail: string): AgentEventBody {
  return { type: 'compaction', phase, origin: 'natural', detail: detail || null }
}

function isManual(event: PiRecord) {
  return event.reason === 'manual'
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
