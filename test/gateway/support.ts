import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { dir } from 'tmp-promise'
import { onTestFinished } from 'vitest'
import { type Gateway, type GatewayOptions, openGateway } from '../../bench/gateway/gateway.ts'
import type { Price } from '../../bench/gateway/prices.ts'

export const TOKEN = 'attempt-token-0123456789'
export const KEY = 'sk-users-own-key-abcdef'
export const MODEL = { provider: 'test', id: 'test-1' }
export const PRICES: Price[] = [
  {
    provider: 'test',
    model: 'test-1',
    usd_per_million: { fresh_input: 2, cache_read: 0.5, cache_write: 4, output: 8 },
    dated: '2026-01-01',
    source: 'test',
  },
]

export interface Opened {
  gateway: Gateway
  socketPath: string
  callsFile: string
}

/** A gateway in a folder of its own; both are gone after the test. */
export async function openTestGateway(
  options: Pick<GatewayOptions, 'upstream'> & Partial<GatewayOptions>,
): Promise<Opened> {
  const folder = await dir({ unsafeCleanup: true })
  const socketPath = join(folder.path, 'gateway.sock')
  const callsFile = join(folder.path, 'model-calls.jsonl')
  const gateway = await openGateway({ socketPath, token: TOKEN, callsFile, model: MODEL, prices: PRICES, ...options })
  onTestFinished(async () => {
    await gateway.close()
    await folder.cleanup()
  })
  return { gateway, socketPath, callsFile }
}

/** A provider on the loopback; `answer` plays it. It is gone after the test. */
export async function openProvider(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>,
): Promise<{ baseUrl: string; requests: { headers: IncomingMessage['headers']; url: string; body: string }[] }> {
  const requests: { headers: IncomingMessage['headers']; url: string; body: string }[] = []
  const server = createServer(async (incoming, response) => {
    const body = await text(incoming).catch(() => '')
    requests.push({ headers: incoming.headers, url: incoming.url ?? '', body })
    await answer(incoming, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests }
}

export interface Sending {
  path?: string
  method?: string
  token?: string | null
  body?: unknown
  signal?: AbortSignal
}

/** Sends a request over the socket and resolves with the head of its answer. */
export async function send(socketPath: string, sending: Sending = {}): Promise<IncomingMessage> {
  const { path = '/v1/chat/completions', method = 'POST', token = TOKEN, body = chat(), signal } = sending
  const outgoing = request({
    socketPath,
    path,
    method,
    agent: false,
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    ...(signal && { signal }),
  })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.on('error', () => {})
  outgoing.end(method === 'GET' ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  const [response] = await answered
  return response
}

/** The whole answer; `cut` is true when the connection broke before its end. */
export async function receive(response: IncomingMessage): Promise<{ status: number; body: string; cut: boolean }> {
  const chunks: Buffer[] = []
  let cut = false
  try {
    for await (const chunk of response) chunks.push(chunk)
  } catch {
    cut = true
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8'), cut }
}

export const ask = async (socketPath: string, sending: Sending = {}) => receive(await send(socketPath, sending))

const TOOLS = [
  {
    type: 'function',
    function: { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } } } },
  },
]

export const chat = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  model: MODEL.id,
  messages: [{ role: 'user', content: 'hello' }],
  tools: TOOLS,
  ...changes,
})

export const completion = (usage?: unknown) => ({
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  ...(usage !== undefined && { usage }),
})

export const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 50,
  total_tokens: 1050,
  prompt_tokens_details: { cached_tokens: 640 },
  completion_tokens_details: { reasoning_tokens: 20 },
}

export const event = (value: unknown): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
export const delta = (content: string, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })

/** Answers with one JSON document. */
export function sendDocument(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Resolves when a condition holds; the test's own timeout bounds it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
