import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AnswerReader, answerReader } from './answer.ts'
import type { GatewayLimits } from './limits.ts'
import type { OpenCall } from './open-call.ts'
import { GivenUp, Patience } from './patience.ts'
import { excerpt } from './redact.ts'
import { sendError } from './respond.ts'
import type { OpenUpstream, UpstreamAnswer } from './upstream.ts'

/** Headers of a provider that reach the agent; the others could name the user's account. */
const PASSED_HEADERS = ['content-type', 'cache-control', 'retry-after', 'retry-after-ms', 'x-should-retry']

export interface RelayContext {
  upstream: OpenUpstream
  limits: GatewayLimits
  /** Milliseconds since the epoch. */
  now(): number
  /** Takes keys out of a text. */
  redact(text: string): string
  /** Aborts when the gateway closes. */
  closing: AbortSignal
}

/**
 * Forwards one request and passes its answer on as it arrives, reading a copy. Fills in `call` and never rejects: whatever goes
 * wrong, the agent gets an HTTP error, or a broken connection when its answer had begun, and `call.error` says why.
 */
export async function relay(
  call: OpenCall,
  body: Buffer,
  response: ServerResponse,
  context: RelayContext,
): Promise<void> {
  const abort = new AbortController()
  const onClose = () => {
    if (!response.writableFinished) abort.abort(new GivenUp('agent', 'the agent closed the connection'))
  }
  const onClosing = () => abort.abort(new GivenUp('close', 'the gateway was closed during the call'))
  response.once('close', onClose)
  context.closing.addEventListener('abort', onClosing)
  if (response.destroyed) onClose()
  if (context.closing.aborted) onClosing()
  const patience = new Patience(context.limits.idleMs, abort)
  try {
    abort.signal.throwIfAborted()
    call.forwarded = true
    const answer = await patience.wait(context.upstream.send({ body, signal: abort.signal }))
    if (answer.status >= 200 && answer.status < 300) await passOn(call, answer, response, patience, context)
    else await passError(call, answer, response, patience, context)
  } catch (error) {
    await giveUp(call, abort.signal.aborted ? abort.signal.reason : error, response, context)
  } finally {
    response.off('close', onClose)
    context.closing.removeEventListener('abort', onClosing)
    patience.end()
    abort.abort()
  }
}

async function passOn(
  call: OpenCall,
  answer: UpstreamAnswer,
  response: ServerResponse,
  patience: Patience,
  context: RelayContext,
): Promise<void> {
  const reader = answerReader(answer.headers['content-type'] ?? '', context.limits.answerCopyBytes)
  try {
    response.writeHead(answer.status, passedHeaders(answer))
    response.flushHeaders()
    call.status = answer.status
    for await (const chunk of patience.chunks(answer.body)) {
      call.firstByteAt ??= context.now()
      call.responseBytes += chunk.length
      reader.push(chunk)
      if (!response.write(chunk)) await once(response, 'drain', { signal: patience.signal })
    }
    response.end()
    await patience.unlessAborted(finished(response))
  } finally {
    settle(call, reader, context)
  }
}

/** What the copy tells is kept for a cut answer too; the cut itself outweighs it as the error. */
function settle(call: OpenCall, reader: AnswerReader, context: RelayContext): void {
  const facts = reader.end()
  call.providerUsage = facts.usage
  call.complete = facts.problem === null
  if (facts.problem) call.error = excerpt(context.redact(facts.problem), context.limits.errorChars)
}

async function passError(
  call: OpenCall,
  answer: UpstreamAnswer,
  response: ServerResponse,
  patience: Patience,
  context: RelayContext,
): Promise<void> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of patience.chunks(answer.body)) {
    call.firstByteAt ??= context.now()
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes >= context.limits.errorBytes) break
  }
  const whole = Buffer.concat(chunks).subarray(0, context.limits.errorBytes).toString('utf8')
  const text = context.redact(whole)
  const said = excerpt(text, context.limits.errorChars)
  call.error = `the provider answered ${answer.status}${said && `: ${said}`}`
  if (answer.status < 400) {
    call.status = 502
    await patience.unlessAborted(
      sendError(response, 502, 'upstream_redirect', `the provider answered ${answer.status}`),
    )
  } else {
    call.status = answer.status
    response.writeHead(answer.status, { ...passedHeaders(answer), 'content-length': Buffer.byteLength(text) })
    response.end(text)
    call.responseBytes = Buffer.byteLength(text)
    await patience.unlessAborted(finished(response))
  }
}

async function giveUp(call: OpenCall, error: unknown, response: ServerResponse, context: RelayContext): Promise<void> {
  const cause = error as NodeJS.ErrnoException
  const { limits } = context
  const begun = response.headersSent
  // A client may hang up as soon as it has read the end of its answer.
  if (error instanceof GivenUp && error.by === 'agent' && call.complete) return
  if (error instanceof GivenUp) call.error = error.message
  else {
    const what = excerpt(context.redact(`${cause.code ?? ''} ${cause.message ?? cause}`), limits.errorChars)
    call.error = `${begun ? 'the provider cut its answer' : 'the provider cannot be reached'}: ${what}`
  }
  if (begun || response.destroyed || context.closing.aborted) {
    // What was written is still on its way to the socket.
    await new Promise((resolve) => setImmediate(resolve))
    response.destroy()
    return
  }
  const silent = error instanceof GivenUp && error.by === 'silence'
  call.status = silent ? 504 : 502
  await sendError(response, call.status, silent ? 'upstream_silent' : 'upstream_unreachable', call.error)
}

function passedHeaders(answer: UpstreamAnswer): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of PASSED_HEADERS) {
    const value = answer.headers[name]
    if (value !== undefined) passed[name] = value
  }
  return passed
}

const finished = (response: ServerResponse): Promise<void> =>
  response.writableFinished ? Promise.resolve() : once(response, 'finish').then(() => {})
