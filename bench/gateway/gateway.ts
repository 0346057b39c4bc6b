import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { ActiveTime } from './active-time.ts'
import type { Budget } from './budget.ts'
import type { ModelCall, Usage } from './call.ts'
import { callsWriter } from './calls-file.ts'
import { GATEWAY_LIMITS, type GatewayLimits, KEEP_ALIVE_MS, SOCKET_PATH_BYTES } from './limits.ts'
import { closeCall, type OpenCall } from './open-call.ts'
import { type Price, priceOf } from './prices.ts'
import { withoutSecrets } from './redact.ts'
import { relay } from './relay.ts'
import { chatRequest, Refusal, readBody } from './request.ts'
import { sendError, sendJson } from './respond.ts'
import { openUpstream, type Upstream } from './upstream.ts'
import { usageOf } from './usage.ts'

export interface GatewayOptions {
  /** Where to listen: a path of at most 107 bytes, in a folder that belongs to the attempt. */
  socketPath: string
  /** What the agent must send as its key. */
  token: string
  upstream: Upstream
  /** model-calls.jsonl of the attempt. */
  callsFile: string
  /** The only model that is served. */
  model: { provider: string; id: string }
  prices: readonly Price[]
  /** Charged with every call. */
  budget?: Budget
  /** Told of each call at its end. Must not throw. */
  onCall?: (call: ModelCall) => void
  limits?: Partial<GatewayLimits>
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** The model proxy of one attempt. */
export interface Gateway {
  /** Calls that have ended, in the order of their ends. */
  readonly calls: readonly ModelCall[]
  /** Requests without the token; they come from something other than the agent and are no calls. */
  readonly strangers: number
  /** Why a call could not be written to its file, for instance a full disk; `calls` has it all the same. */
  readonly problem: Error | null
  /** Milliseconds during which at least one call was under way, up to now. */
  readonly activeMs: number
  /** The stage that later calls belong to. */
  setStage(stage: string | null): void
  /** While true, calls are compaction calls; one without tools that is under way becomes one. */
  setCompacting(compacting: boolean): void
  /** Milliseconds since the oldest call that waits for its first byte came in; null when none waits. */
  silentMs(): number | null
  usage(): Usage
  /** Ends every call (each still gets its line), every connection and the socket. */
  close(): Promise<void>
}

/** Opens the gateway of an attempt. Throws when the socket's path is too long or cannot be listened on. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { socketPath, model, token, upstream: target } = options
  const pathBytes = Buffer.byteLength(socketPath)
  if (pathBytes > SOCKET_PATH_BYTES)
    throw new Error(
      `the gateway's socket path has ${pathBytes} bytes, a unix socket takes ${SOCKET_PATH_BYTES}: ${socketPath}; use a shorter TMPDIR`,
    )
  const now = options.now ?? (() => performance.timeOrigin + performance.now())
  const limits = { ...GATEWAY_LIMITS, ...options.limits }
  const promptCache = target.kind === 'provider' ? (target.promptCache ?? 'reported') : 'reported'
  const billing = { price: priceOf(options.prices, model.provider, model.id), promptCache }
  const secrets = target.kind === 'provider' ? [target.apiKey, ...Object.values(target.headers ?? {}), token] : [token]
  const upstream = openUpstream(target)
  const write = callsWriter(options.callsFile)

  const calls: ModelCall[] = []
  const open = new Set<OpenCall>()
  const requests = new Set<Promise<void>>()
  const active = new ActiveTime(now)
  const closing = new AbortController()
  let arrived = 0
  let strangers = 0
  let stage: string | null = null
  let compacting = false
  let problem: Error | null = null

  const begin = (): OpenCall => ({
    call: ++arrived,
    stage,
    kind: compacting ? 'compaction' : 'auxiliary',
    model: null,
    startedAt: now(),
    firstByteAt: null,
    status: null,
    error: null,
    requestBytes: 0,
    responseBytes: 0,
    providerUsage: null,
    complete: false,
    forwarded: false,
  })
  const finish = (opened: OpenCall): void => {
    const call = closeCall(opened, now(), billing)
    calls.push(call)
    try {
      write(call)
    } catch (error) {
      problem ??= new Error(`${options.callsFile} cannot be written: ${(error as Error).message}`)
    }
    options.budget?.charge(call.cost_usd)
    options.onCall?.(call)
  }

  const chat = async (call: OpenCall, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, limits.requestBytes)
    call.requestBytes = body.length
    const wanted = chatRequest(body, model.id)
    call.model = wanted.model
    if (open.size >= limits.concurrentCalls)
      throw new Refusal(429, 'too_many_calls', `${limits.concurrentCalls} calls are under way, which is the limit`)
    if (wanted.hasTools && call.kind === 'auxiliary') call.kind = 'main'
    open.add(call)
    active.begin()
    try {
      await relay(call, wanted.body, response, {
        upstream,
        limits,
        now,
        redact: (text) => withoutSecrets(text, secrets),
        closing: closing.signal,
      })
    } finally {
      active.end()
      open.delete(call)
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!sameToken(request.headers.authorization, token)) {
      strangers += 1
      request.resume()
      return sendError(response, 401, 'invalid_api_key', 'the gateway does not know this key')
    }
    const path = (request.url ?? '').split('?')[0]
    if (request.method === 'GET' && path === '/v1/models') return sendJson(response, 200, modelList(model))
    const call = begin()
    try {
      if (request.method !== 'POST' || path !== '/v1/chat/completions')
        throw new Refusal(
          404,
          'unknown_path',
          `${request.method} ${path} is not served; POST /v1/chat/completions and GET /v1/models are`,
        )
      await chat(call, request, response)
    } catch (error) {
      if (error instanceof Refusal) {
        call.status = error.status
        call.error = error.message
        request.resume()
        response.shouldKeepAlive = false
        await sendError(response, error.status, error.code, error.message)
      } else {
        call.error = `the request was cut: ${(error as Error).message}`
        response.destroy()
      }
    } finally {
      finish(call)
    }
  }

  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.headersMs, 5_000),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      request.on('error', () => {})
      response.on('error', () => {})
      const served = serve(request, response).finally(() => requests.delete(served))
      requests.add(served)
    },
  )
  server.maxConnections = limits.connections
  server.listen(socketPath)
  try {
    await once(server, 'listening')
    chmodSync(socketPath, 0o600)
  } catch (error) {
    upstream.close()
    server.close()
    throw new Error(`the gateway cannot listen on ${socketPath}: ${(error as Error).message}`)
  }

  return {
    calls,
    get strangers() {
      return strangers
    },
    get problem() {
      return problem
    },
    get activeMs() {
      return active.total()
    },
    setStage: (next) => {
      stage = next
    },
    setCompacting: (next) => {
      compacting = next
      if (next) for (const call of open) if (call.kind === 'auxiliary') call.kind = 'compaction'
    },
    silentMs: () => {
      const waiting = [...open].filter((call) => call.firstByteAt === null).map((call) => call.startedAt)
      return waiting.length === 0 ? null : Math.max(0, now() - Math.min(...waiting))
    },
    usage: () => usageOf(calls),
    close: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      closing.abort()
      server.closeAllConnections()
      await Promise.allSettled([...requests])
      await closed
      upstream.close()
    },
  }
}

const modelList = (model: { provider: string; id: string }) => ({
  object: 'list',
  data: [{ id: model.id, object: 'model', created: 0, owned_by: model.provider }],
})

/** Compares in constant time; hashing makes the lengths equal. */
function sameToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))
}
