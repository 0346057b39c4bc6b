import type { IncomingMessage } from 'node:http'

/** A request that the gateway answers itself, because it must not or cannot be forwarded. */
export class Refusal extends Error {
  override name = 'Refusal'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** What the gateway must know of a chat-completions request, and the body to forward. */
export interface ChatRequest {
  model: string
  hasTools: boolean
  body: Buffer
}

/** Reads a request's body. Throws a Refusal (413) beyond `limit` bytes; the rest is left unread. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLong = () => new Refusal(413, 'request_too_large', `the request is longer than ${limit} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLong()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > limit) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Looks at a chat-completions request. The bytes are forwarded as they came, unless a streaming request does not ask for its
 * usage: then it is made to. Throws a Refusal for what is no such request and for any model but the attempt's.
 */
export function chatRequest(raw: Buffer, model: string): ChatRequest {
  const request = parseObject(raw)
  if (request.model !== model)
    throw new Refusal(
      404,
      'model_not_found',
      `the model of this attempt is ${model}, not ${JSON.stringify(request.model)}`,
    )
  if (!Array.isArray(request.messages)) throw new Refusal(400, 'invalid_request', 'the request has no list "messages"')
  const hasTools = Array.isArray(request.tools) && request.tools.length > 0
  const options = request.stream_options as { include_usage?: unknown } | null | undefined
  if (request.stream !== true || options?.include_usage === true) return { model, hasTools, body: raw }
  const asking = { ...request, stream_options: { ...options, include_usage: true } }
  return { model, hasTools, body: Buffer.from(JSON.stringify(asking)) }
}

function parseObject(raw: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(raw.toString('utf8'))
  } catch {
    throw new Refusal(400, 'invalid_request', 'the request is no JSON')
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Refusal(400, 'invalid_request', 'the request is no JSON object')
  return value as Record<string, unknown>
}
