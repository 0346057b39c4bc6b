import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UpstreamAnswer, UpstreamRequest } from '../gateway/upstream.ts'
import { type Chat, ChatSchema, shellTool } from './chat.ts'
import { type Fault, type FaultContext, type FaultInput, faultQueue } from './faults.ts'
import { callId, type Place, placeOf } from './place.ts'
import type { Script } from './script.ts'
import { type TokenCounter, tokenCounter } from './token-count.ts'
import { type Answer, answerDocument, answerEvents, type Turn, type WireUsage } from './wire.ts'

/** The scripted model in plans, records and the price table. */
export const REHEARSAL_MODEL = { provider: 'rehearsal', id: 'rehearsal' } as const

/** Pause of the fault `slow` before each piece. */
const SLOW_MS = 200

/** Tokens of a tool call beside its name and arguments. */
const PER_TOOL_CALL = 4

const SUMMARY =
  'Rehearsal summary. Goal: complete the staged task in the workspace as its messages and TASK.md ask. Done so far: looked ' +
  'at the inputs, wrote the solution, ran its commands; the outputs are in place. Next: wait for the next message and follow it.'

export interface RehearsalOptions {
  script: Script
  /** In order of precedence. */
  faults?: readonly FaultInput[]
}

/** The scripted model of one attempt: give its `handle` to a gateway as upstream. */
export interface RehearsalModel {
  handle(request: UpstreamRequest): Promise<UpstreamAnswer>
}

/** What is sent at one request: the answer, where it stands in the script, and how it misbehaves. */
interface Reply {
  answer: Answer
  chat: Chat
  fault: Fault | null
}

/**
 * A model that plays a script through the agent's own shell tool. It keeps, for its attempt: the last turn it served, which
 * turn each request got (the same request gets the same turn again) and the prompts, for the cache figures.
 */
export function rehearsalModel({ script, faults = [] }: RehearsalOptions): RehearsalModel {
  const nextFault = faultQueue(faults)
  const places = new Map<string, Place>()
  // Loaded now, so that the first answer does not wait for it.
  const counting = tokenCounter()
  counting.catch(() => {})
  let served: Place | null = null
  let calls = 0

  /** Chooses the turn; a request that fails is not counted as served. */
  const choose = (chat: Chat, body: Buffer, call: number): { turn: Turn; fault: Fault | null } => {
    if (!chat.tools?.length) return { turn: { text: SUMMARY }, fault: nextFault({ call, stage: null, step: null }) }
    const key = createHash('sha256').update(body).digest('base64')
    const place = places.get(key) ?? placeOf(script, chat.messages, served)
    const stage = script.stages[place.stage]!
    const context: FaultContext = { call, stage: stage.id, step: place.step }
    const fault = nextFault(context)
    if (!fault || fault.do === 'slow' || fault.do === 'no_usage') {
      places.set(key, place)
      if (!served || place.stage > served.stage || (place.stage === served.stage && place.step > served.step))
        served = place
    }
    return { turn: turnAt(script, place, chat), fault }
  }

  return {
    async handle({ body, signal }) {
      const call = ++calls
      const chat = readChat(body)
      if (!chat) return errorAnswer(400, 'the rehearsal model cannot read this request')
      const counter = await counting
      const { turn, fault } = choose(chat, body, call)
      if (fault && /^\d/.test(fault.do))
        return errorAnswer(Number(fault.do), `rehearsed fault ${fault.do}`, fault.value)
      if (fault?.do === 'silence') return silence(signal)
      const usage = fault?.do === 'no_usage' ? null : usageOfTurn(counter, chat, turn)
      const answer = { id: `chatcmpl-rehearsal-${call}`, model: chat.model, turn, usage }
      return reply({ answer, chat, fault }, signal)
    },
  }
}

function readChat(body: Buffer): Chat | null {
  try {
    return ChatSchema.safeParse(JSON.parse(body.toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

function turnAt(script: Script, place: Place, chat: Chat): Turn {
  const stage = script.stages[place.stage]!
  const step = stage.steps[place.step - 1] ?? { say: 'There is nothing to do in this stage.' }
  if ('say' in step) return { text: step.say }
  const tool = shellTool(chat.tools ?? [])
  if (!tool) return { text: 'The rehearsal model needs a tool that takes a "command" string; this request has none.' }
  const input = { command: step.run, ...tool.others }
  return { tool: { id: callId(stage.id, place.step), name: tool.name, arguments: JSON.stringify(input) } }
}

function usageOfTurn(counter: TokenCounter, chat: Chat, turn: Turn): WireUsage {
  const { prompt, cached } = counter.prompt(chat)
  const completion =
    'text' in turn
      ? counter.text(turn.text)
      : counter.text(turn.tool.name) + counter.text(turn.tool.arguments) + PER_TOOL_CALL
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

function reply({ answer, chat, fault }: Reply, signal: AbortSignal): UpstreamAnswer {
  const streaming = chat.stream === true
  const headers = { 'content-type': streaming ? 'text/event-stream' : 'application/json' }
  if (fault?.do === 'nonsense') {
    const text = streaming ? 'data: <html>lorem ipsum\n\n' : '<html>lorem ipsum'
    return { status: 200, headers, body: pieces([text], 0, signal) }
  }
  const events = streaming
    ? answerEvents(answer, chat.stream_options?.include_usage === true)
    : [answerDocument(answer)]
  if (fault?.do === 'cut') return { status: 200, headers, body: cutPieces(events, signal) }
  const pause = fault?.do === 'slow' ? (fault.value ?? SLOW_MS) : 0
  return { status: 200, headers, body: pieces(events, pause, signal) }
}

async function* pieces(texts: readonly string[], pauseMs: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const text of texts) {
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal })
    signal.throwIfAborted()
    yield Buffer.from(text)
  }
}

/** The first half of the answer's bytes, then a broken connection. */
async function* cutPieces(texts: readonly string[], signal: AbortSignal): AsyncGenerator<Buffer> {
  const whole = texts.join('')
  yield* pieces([whole.slice(0, Math.floor(whole.length / 2))], 0, signal)
  throw new Error('rehearsed cut')
}

/** Rejects when the request is aborted, and never resolves. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function errorAnswer(status: number, message: string, retryAfter?: number): UpstreamAnswer {
  const type = status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error'
  const body = JSON.stringify({ error: { message, type, code: type } })
  return {
    status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': `${retryAfter}` }),
    },
    body: pieces([body], 0, new AbortController().signal),
  }
}
