import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the fake model says next. `status` answers with an error, `hang` never answers. */
export type Reply =
  | { text: string; prompt?: number; cached?: number; usage?: false }
  | { command: string; timeout_ms?: number; prompt?: number }
  | { tool: string; args: Record<string, unknown> }
  | { status: number; message?: string }
  | { hang: true }

export interface FakeRequest {
  model: string
  messages: { role: string; content: unknown; tool_call_id?: string }[]
  tools?: { function: { name: string; parameters: unknown } }[]
  [key: string]: unknown
}

export interface FakeModel {
  baseUrl: string
  requests: FakeRequest[]
  headers: Record<string, unknown>[]
  /** Replies in order; without any left the answer is the text "DONE". Requests without tools get "SUMMARY". */
  script: Reply[]
  close(): Promise<void>
}

/** A chat-completions server that plays a script, on the loopback or on a unix socket. */
export async function startFakeModel(script: Reply[] = [], socket?: string): Promise<FakeModel> {
  const model: FakeModel = { baseUrl: '', requests: [], headers: [], script, close: async () => {} }
  const server = createServer((request, response) => void answer(model, request, response))
  await new Promise<void>((resolve) => {
    if (socket === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(socket, resolve)
  })
  if (socket === undefined) model.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  model.close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return model
}

async function answer(model: FakeModel, request: IncomingMessage, response: ServerResponse) {
  let body = ''
  for await (const chunk of request) body += chunk
  model.requests.push(JSON.parse(body))
  model.headers.push(request.headers)
  // pi summarises without tools, with one call or several.
  const summarises = model.requests.at(-1)?.tools === undefined
  const reply: Reply = summarises ? { text: 'SUMMARY' } : (model.script.shift() ?? { text: 'DONE' })
  if ('hang' in reply) return
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ error: { message: reply.message ?? 'fake error', type: 'fake' } }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`)
  const chunk = (delta: unknown, finish: string | null) =>
    send({
      id: `chatcmpl-${model.requests.length}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'fake-1',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  if ('text' in reply) {
    chunk({ role: 'assistant', content: reply.text }, null)
    chunk({}, 'stop')
  } else {
    const name = 'tool' in reply ? reply.tool : 'bash'
    const args = 'tool' in reply ? reply.args : { command: reply.command, timeout_ms: reply.timeout_ms }
    const call = { index: 0, id: `call_${model.requests.length}`, type: 'function' }
    chunk({ role: 'assistant', tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(args) } }] }, null)
    chunk({}, 'tool_calls')
  }
  if (!('usage' in reply)) {
    const prompt = ('prompt' in reply ? reply.prompt : undefined) ?? 1000
    send({
      choices: [],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: 7,
        total_tokens: prompt + 7,
        prompt_tokens_details: { cached_tokens: ('cached' in reply ? reply.cached : undefined) ?? 200 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
  }
  response.end('data: [DONE]\n\n')
}
