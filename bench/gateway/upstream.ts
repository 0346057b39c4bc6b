import * as http from 'node:http'
import * as https from 'node:https'
import type { PromptCache } from './tokens.ts'

/** A chat-completions request on its way to the model. */
export interface UpstreamRequest {
  body: Buffer
  /** Aborts when the agent has gone, the answer is overdue or the gateway closes. */
  signal: AbortSignal
}

/** The head of an answer, and its body as it arrives. A body that throws was cut. */
export interface UpstreamAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: AsyncIterable<Uint8Array>
}

/** Who answers: a provider over HTTP, or a function in this process (the rehearsal model). */
export type Upstream =
  | {
      kind: 'provider'
      /** Ends in /v1 or the like; `/chat/completions` is appended. */
      baseUrl: string
      apiKey: string
      /** Sent beside the key, for providers that ask for more. */
      headers?: Readonly<Record<string, string>>
      promptCache?: PromptCache
    }
  | { kind: 'handler'; handle(request: UpstreamRequest): Promise<UpstreamAnswer> }

/** An upstream with its connections, which its owner closes. */
export interface OpenUpstream {
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  close(): void
}

export function openUpstream(upstream: Upstream): OpenUpstream {
  if (upstream.kind === 'handler') return { send: (request) => upstream.handle(request), close: () => {} }
  const url = new URL(`${upstream.baseUrl.replace(/\/+$/, '')}/chat/completions`)
  const client = url.protocol === 'https:' ? https : http
  const agent = new client.Agent({ keepAlive: true })
  const headers = {
    ...upstream.headers,
    authorization: `Bearer ${upstream.apiKey}`,
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'accept-encoding': 'identity',
  }
  const send = async (request: UpstreamRequest, again = true): Promise<UpstreamAnswer> => {
    const outgoing = client.request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': request.body.length },
      signal: request.signal,
    })
    try {
      return asAnswer(await headOf(outgoing, request.body))
    } catch (error) {
      // The provider closed an idle connection while it was being reused: nothing was processed.
      if (again && outgoing.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
        return send(request, false)
      throw error
    }
  }
  return { send: (request) => send(request), close: () => agent.destroy() }
}

function headOf(outgoing: http.ClientRequest, body: Buffer): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function asAnswer(message: http.IncomingMessage): UpstreamAnswer {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers)) if (typeof value === 'string') headers[name] = value
  return { status: message.statusCode ?? 0, headers, body: message }
}
