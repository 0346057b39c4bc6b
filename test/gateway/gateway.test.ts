import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Budget } from '../../bench/gateway/budget.ts'
import type { ModelCall } from '../../bench/gateway/call.ts'
import { readModelCalls } from '../../bench/gateway/calls-file.ts'
import { openGateway } from '../../bench/gateway/gateway.ts'
import {
  ask,
  chat,
  completion,
  delta,
  event,
  KEY,
  MODEL,
  openProvider,
  openTestGateway,
  PRICES,
  receive,
  send,
  sendDocument,
  TOKEN,
  USAGE,
  until,
} from './support.ts'

const provider = (baseUrl: string) => ({ kind: 'provider' as const, baseUrl, apiKey: KEY })

test('a document answer passes unchanged and is accounted exactly', async () => {
  const answer = completion(USAGE)
  const { baseUrl, requests } = await openProvider((_, response) => sendDocument(response, answer))
  const seen: ModelCall[] = []
  const budget = new Budget({ capUsd: 1, spentUsd: 0 })
  const { gateway, socketPath, callsFile } = await openTestGateway({
    upstream: provider(baseUrl),
    budget,
    onCall: (call) => seen.push(call),
  })
  gateway.setStage('initial')

  const body = JSON.stringify(chat())
  const received = await ask(socketPath, { body })

  expect(received).toEqual({ status: 200, body: JSON.stringify(answer), cut: false })
  expect(requests).toMatchObject([{ url: '/v1/chat/completions', body, headers: { authorization: `Bearer ${KEY}` } }])
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({
    call: 1,
    stage: 'initial',
    kind: 'main',
    model: MODEL.id,
    status: 200,
    error: null,
    request_bytes: Buffer.byteLength(body),
    response_bytes: Buffer.byteLength(received.body),
    provider_usage: USAGE,
    tokens: { fresh_input: 360, cache_read: 640, cache_write: 0, output: 50, reasoning: 20 },
  })
  expect(gateway.calls[0]!.cost_usd).toBeCloseTo((360 * 2 + 640 * 0.5 + 50 * 8) / 1e6, 12)
  expect(readModelCalls(callsFile)).toEqual({ calls: gateway.calls, torn: 0 })
  expect(seen).toEqual(gateway.calls)
  expect(budget.spentUsd).toBe(gateway.calls[0]!.cost_usd)
})

test('a stream passes piece by piece before it has ended, and its last usage counts', async () => {
  let sendRest = () => {}
  const rest = new Promise<void>((resolve) => {
    sendRest = resolve
  })
  const first = delta('Grüße')
  const last = delta('', 'stop') + event({ choices: [], usage: USAGE }) + event('[DONE]')
  const { baseUrl, requests } = await openProvider(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first)
    await rest
    // Cut in the middle of a line and of a character.
    const bytes = Buffer.from(delta('ü') + last)
    response.write(bytes.subarray(0, 49))
    response.end(bytes.subarray(49))
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })

  const response = await send(socketPath, { body: chat({ stream: true }) })
  const [chunk] = await new Promise<Buffer[]>((resolve) => response.once('data', (data) => resolve([data])))
  response.pause()
  expect(chunk!.toString('utf8')).toBe(first)
  expect(gateway.calls).toHaveLength(0)
  expect(gateway.silentMs()).toBeNull()
  sendRest()
  expect((await receive(response)).body).toBe(delta('ü') + last)

  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ status: 200, error: null, provider_usage: USAGE, tokens: { output: 50 } })
  expect(gateway.calls[0]!.first_byte_ms).not.toBeNull()
  expect(JSON.parse(requests[0]!.body)).toEqual({ ...chat({ stream: true }), stream_options: { include_usage: true } })
})

test('a stream that asks for its usage is forwarded byte for byte', async () => {
  const { baseUrl, requests } = await openProvider((_, response) => sendDocument(response, completion()))
  const { socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  const body = `{ "stream":true,\n"stream_options": {"include_usage": true}, "model": "${MODEL.id}", "messages": [] }`
  await ask(socketPath, { body })
  expect(requests[0]!.body).toBe(body)
})

test('an answer without usage leaves tokens and cost unknown, not 0', async () => {
  const { baseUrl } = await openProvider((_, response) => sendDocument(response, completion()))
  const budget = new Budget({ capUsd: 1, spentUsd: 0.25 })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl), budget })
  await ask(socketPath)
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({
    error: null,
    provider_usage: null,
    tokens: { fresh_input: null, cache_read: null, cache_write: null, output: null, reasoning: null },
    cost_usd: null,
  })
  expect(gateway.usage()).toMatchObject({ cost_usd: null, known_cost_calls: 0, known_token_calls: 0, total_calls: 1 })
  expect(budget).toMatchObject({ spentUsd: 0.25, unknownCalls: 1 })
})

test('tokens without a price have an unknown cost', async () => {
  const { baseUrl } = await openProvider((_, response) => sendDocument(response, completion(USAGE)))
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl), prices: [] })
  await ask(socketPath)
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ tokens: { fresh_input: 360 }, cost_usd: null })
})

test('a wrong or missing token gets 401, reaches nobody and is no call', async () => {
  const { baseUrl, requests } = await openProvider((_, response) => sendDocument(response, completion()))
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  for (const token of ['wrong', '', null]) {
    const received = await ask(socketPath, { token })
    expect(received.status).toBe(401)
    expect(JSON.parse(received.body).error.code).toBe('invalid_api_key')
  }
  expect(requests).toHaveLength(0)
  expect(gateway.calls).toHaveLength(0)
  expect(gateway.strangers).toBe(3)
})

test('what the gateway refuses itself is a failed call that used nothing', async () => {
  const { baseUrl, requests } = await openProvider((_, response) => sendDocument(response, completion()))
  const { gateway, socketPath } = await openTestGateway({
    upstream: provider(baseUrl),
    limits: { requestBytes: 2000 },
    prices: [],
  })
  const refused = [
    await ask(socketPath, { path: '/v1/responses' }),
    await ask(socketPath, { body: 'no json' }),
    await ask(socketPath, { body: chat({ model: 'other' }) }),
    await ask(socketPath, { body: chat({ messages: undefined }) }),
    await ask(socketPath, { body: chat({ user: 'x'.repeat(3000) }) }),
  ]
  expect(refused.map(({ status, body }) => [status, JSON.parse(body).error.code])).toEqual([
    [404, 'unknown_path'],
    [400, 'invalid_request'],
    [404, 'model_not_found'],
    [400, 'invalid_request'],
    [413, 'request_too_large'],
  ])
  expect(requests).toHaveLength(0)
  await until(() => gateway.calls.length === 5)
  expect(gateway.calls.map((call) => call.status)).toEqual([404, 400, 404, 400, 413])
  expect(gateway.calls.every((call) => call.error !== null)).toBe(true)
  expect(gateway.usage()).toMatchObject({
    calls: { main: 0, auxiliary: 0, failed: 5 },
    tokens: { fresh_input: 0, output: 0 },
    cost_usd: 0,
    known_cost_calls: 5,
    total_calls: 5,
  })
})

test('a chunked body beyond the limit is refused as well', async () => {
  const { baseUrl } = await openProvider((_, response) => sendDocument(response, completion()))
  const { socketPath } = await openTestGateway({ upstream: provider(baseUrl), limits: { requestBytes: 2000 } })
  const status = await new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath,
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    outgoing.once('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    outgoing.once('error', reject)
    outgoing.write('x'.repeat(1500))
    outgoing.end('x'.repeat(1500))
  })
  expect(status).toBe(413)
})

test('GET /v1/models names the one model and is no call', async () => {
  const { gateway, socketPath } = await openTestGateway({ upstream: provider('http://127.0.0.1:9/v1') })
  const received = await ask(socketPath, { method: 'GET', path: '/v1/models' })
  expect(JSON.parse(received.body).data.map((model: { id: string }) => model.id)).toEqual([MODEL.id])
  expect(gateway.calls).toHaveLength(0)
})

test('calls are told apart: main, auxiliary, compaction; and belong to the stage at their start', async () => {
  const { baseUrl } = await openProvider((_, response) => sendDocument(response, completion(USAGE)))
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  await ask(socketPath)
  gateway.setStage('initial')
  await ask(socketPath, { body: chat({ tools: [] }) })
  gateway.setCompacting(true)
  await ask(socketPath, { body: chat({ tools: undefined }) })
  gateway.setCompacting(false)
  gateway.setStage('late')
  await ask(socketPath)
  await until(() => gateway.calls.length === 4)
  expect(gateway.calls.map(({ kind, stage }) => [kind, stage])).toEqual([
    ['main', null],
    ['auxiliary', 'initial'],
    ['compaction', 'initial'],
    ['main', 'late'],
  ])
  expect(gateway.usage()).toMatchObject({
    calls: { main: 2, compaction: 1, auxiliary: 1, failed: 0 },
    tokens: { fresh_input: 1440, cache_read: 2560, output: 200 },
    peak_input_tokens: 1000,
    final_output_tokens: 50,
  })
})

test('a call without tools that is under way when a compaction is announced belongs to it', async () => {
  let proceed = () => {}
  const go = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const { baseUrl, requests } = await openProvider(async (_, response) => {
    await go
    sendDocument(response, completion(USAGE))
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  const answers = [ask(socketPath, { body: chat({ tools: [] }) }), ask(socketPath)]
  await until(() => requests.length === 2)
  gateway.setCompacting(true)
  gateway.setCompacting(false)
  proceed()
  await Promise.all(answers)
  await until(() => gateway.calls.length === 2)
  expect(gateway.calls.map((call) => call.kind).sort()).toEqual(['compaction', 'main'])
})

test("a provider's error is passed on and recorded without the user's key", async () => {
  const { baseUrl } = await openProvider((_, response) => {
    response.setHeader('retry-after', '7')
    response.setHeader('openai-organization', 'users-organization')
    sendDocument(response, { error: { message: `Incorrect API key provided: ${KEY}. ${'long '.repeat(400)}` } }, 429)
  })
  const { gateway, socketPath, callsFile } = await openTestGateway({ upstream: provider(baseUrl) })
  const response = await send(socketPath)
  const received = await receive(response)
  expect(received.status).toBe(429)
  expect(response.headers['retry-after']).toBe('7')
  expect(response.headers['openai-organization']).toBeUndefined()
  expect(JSON.parse(received.body).error.message).toContain('Incorrect API key provided: [secret]')
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ status: 429, tokens: { output: null }, cost_usd: null })
  expect(gateway.calls[0]!.error).toMatch(/^the provider answered 429: .*Incorrect API key provided: \[secret\]/)
  expect(gateway.calls[0]!.error!.length).toBeLessThan(700)
  expect(readFileSync(callsFile, 'utf8')).not.toContain(KEY)
  expect(gateway.usage()).toMatchObject({ calls: { main: 0, failed: 1 }, cost_usd: null, known_cost_calls: 0 })
})

test('an unreachable provider is a 502 and a failed call', async () => {
  const { gateway, socketPath } = await openTestGateway({ upstream: provider('http://127.0.0.1:1/v1') })
  const received = await ask(socketPath)
  expect(received.status).toBe(502)
  expect(JSON.parse(received.body).error.code).toBe('upstream_unreachable')
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ status: 502, error: expect.stringContaining('ECONNREFUSED') })
})

test('a provider that cuts its stream cuts the agent, too', async () => {
  const { baseUrl } = await openProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('half'), () => response.destroy())
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  const received = await ask(socketPath, { body: chat({ stream: true }) })
  expect(received).toMatchObject({ status: 200, cut: true, body: delta('half') })
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({
    status: 200,
    error: expect.stringContaining('the provider cut its answer'),
    response_bytes: delta('half').length,
    tokens: { output: null },
  })
})

test.each([
  ['ends early', delta('half'), 'the stream ended before the answer was finished'],
  ['holds an error', event({ error: { message: 'overloaded' } }), 'the provider sent an error: overloaded'],
  ['is nonsense', event('<html>'), 'the stream holds an event that is no JSON'],
])('a stream that %s is no complete answer', async (_, body, error) => {
  const { baseUrl } = await openProvider((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(body)
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  expect(await ask(socketPath, { body: chat({ stream: true }) })).toMatchObject({ status: 200, body, cut: false })
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ status: 200, error })
})

test('an agent that hangs up ends the request to the provider', async () => {
  let providerSawEnd = false
  const { baseUrl } = await openProvider((_, response) => {
    response.once('close', () => {
      providerSawEnd = true
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('never finished'))
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  const abort = new AbortController()
  const response = await send(socketPath, { body: chat({ stream: true }), signal: abort.signal })
  response.on('error', () => {})
  await new Promise((resolve) => response.once('data', resolve))
  abort.abort()
  await until(() => providerSawEnd && gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ status: 200, error: 'the agent closed the connection' })
})

test('an agent that hangs up after the end of its answer has a complete call', async () => {
  const whole = delta('hi', 'stop') + event({ choices: [], usage: USAGE }) + event('[DONE]')
  const { baseUrl } = await openProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(whole)
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  const response = await send(socketPath, { body: chat({ stream: true }) })
  response.on('error', () => {})
  await new Promise((resolve) => response.once('data', resolve))
  response.destroy()
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ status: 200, error: null, tokens: { fresh_input: 360, output: 50 } })
})

test('an agent that hangs up before an answer has a call without a status', async () => {
  const { baseUrl, requests } = await openProvider(() => {})
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  const abort = new AbortController()
  const sent = send(socketPath, { signal: abort.signal }).catch(() => {})
  await until(() => requests.length === 1)
  expect(gateway.silentMs()).toBeGreaterThanOrEqual(0)
  abort.abort()
  await sent
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({
    status: null,
    first_byte_ms: null,
    error: 'the agent closed the connection',
  })
  expect(gateway.silentMs()).toBeNull()
})

test('a silent provider is given up after the idle time: 504 before the answer, a cut within it', async () => {
  const { baseUrl } = await openProvider((_, response, body) => {
    if (!JSON.parse(body).stream) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('and then'))
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl), limits: { idleMs: 100 } })
  expect((await ask(socketPath)).status).toBe(504)
  expect(await ask(socketPath, { body: chat({ stream: true }) })).toMatchObject({ status: 200, cut: true })
  await until(() => gateway.calls.length === 2)
  for (const call of gateway.calls) expect(call.error).toBe('the provider sent nothing for 0.1 s')
})

test('concurrent calls are numbered in order of arrival and their active time is not added twice', async () => {
  const waiting: (() => void)[] = []
  const { baseUrl } = await openProvider(async (_, response) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    sendDocument(response, completion(USAGE))
  })
  let clock = 1_800_000_000_000
  const { gateway, socketPath } = await openTestGateway({
    upstream: provider(baseUrl),
    limits: { concurrentCalls: 2 },
    now: () => clock,
  })
  const answers = [ask(socketPath)]
  await until(() => waiting.length === 1)
  clock += 1000
  answers.push(ask(socketPath))
  await until(() => waiting.length === 2)
  expect((await ask(socketPath)).status).toBe(429)
  clock += 1000
  waiting[1]!()
  await answers[1]
  await until(() => gateway.calls.length === 2)
  clock += 1000
  waiting[0]!()
  await Promise.all(answers)
  await until(() => gateway.calls.length === 3)
  clock += 5000
  expect(gateway.calls.map(({ call, duration_ms, status }) => [call, status, duration_ms])).toEqual([
    [3, 429, 0],
    [2, 200, 1000],
    [1, 200, 3000],
  ])
  expect(gateway.activeMs).toBe(3000)
})

test('closing ends a call that is under way, with its line, and removes the socket', async () => {
  const { baseUrl, requests } = await openProvider(() => {})
  const { gateway, socketPath, callsFile } = await openTestGateway({ upstream: provider(baseUrl) })
  const sent = ask(socketPath).catch((error: NodeJS.ErrnoException) => error.code)
  await until(() => requests.length === 1)
  await gateway.close()
  expect(await sent).toBe('ECONNRESET')
  expect(readModelCalls(callsFile).calls).toMatchObject([
    { status: null, error: 'the gateway was closed during the call' },
  ])
  expect(existsSync(socketPath)).toBe(false)
})

test('closing does not wait for a request that never ends', async () => {
  const { gateway, socketPath, callsFile } = await openTestGateway({ upstream: provider('http://127.0.0.1:9/v1') })
  const outgoing = request({
    socketPath,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, expect: '100-continue' },
  })
  outgoing.on('error', () => {})
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.write('{')
  await gateway.close()
  expect(existsSync(socketPath)).toBe(false)
  expect(readModelCalls(callsFile).calls).toMatchObject([{ status: null, error: expect.stringContaining('was cut') }])
})

test('a handler that ignores its signal does not hold a call', async () => {
  const { gateway, socketPath } = await openTestGateway({
    upstream: { kind: 'handler', handle: () => new Promise(() => {}) },
    limits: { idleMs: 50 },
  })
  expect((await ask(socketPath)).status).toBe(504)
  await gateway.close()
  expect(gateway.calls).toHaveLength(1)
})

test('a request whose headers or body never end is closed', async () => {
  const { gateway, socketPath } = await openTestGateway({
    upstream: provider('http://127.0.0.1:9/v1'),
    limits: { headersMs: 50, requestMs: 100 },
  })
  const withoutEnd = async (start: string) => {
    const socket = connect(socketPath)
    socket.write(start)
    return text(socket)
  }
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n`
  expect(await withoutEnd(head)).toMatch(/^HTTP\/1.1 408 /)
  expect(gateway.calls).toHaveLength(0)
  expect(await withoutEnd(`${head}content-length: 10\r\n\r\n{`)).toMatch(/^HTTP\/1.1 408 /)
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]!.error).toContain('the request was cut')
})

test('connections beyond the limit are closed', async () => {
  const { socketPath } = await openTestGateway({
    upstream: provider('http://127.0.0.1:9/v1'),
    limits: { connections: 1 },
  })
  const first = connect(socketPath)
  await once(first, 'connect')
  const second = connect(socketPath)
  second.on('error', () => {})
  await once(second, 'close')
  expect(first.destroyed).toBe(false)
  first.destroy()
})

test('an error body and a redirect of the provider are bounded', async () => {
  const { baseUrl } = await openProvider((_, response, body) => {
    if (JSON.parse(body).user === 'redirect') response.writeHead(302, { location: 'http://elsewhere/' }).end()
    else response.writeHead(500, { 'content-type': 'text/plain' }).end('x'.repeat(5000))
  })
  const { gateway, socketPath } = await openTestGateway({
    upstream: provider(baseUrl),
    limits: { errorBytes: 100, errorChars: 10 },
  })
  expect(await ask(socketPath)).toEqual({ status: 500, body: 'x'.repeat(100), cut: false })
  const redirected = await ask(socketPath, { body: chat({ user: 'redirect' }) })
  expect(redirected).toMatchObject({ status: 502, body: expect.not.stringContaining('elsewhere') })
  await until(() => gateway.calls.length === 2)
  expect(gateway.calls[0]!.error).toBe(`the provider answered 500: ${'x'.repeat(10)}…`)
  expect(gateway.calls[1]!.error).toBe('the provider answered 302')
})

test('the copy that is read is bounded: a long event or document passes, only its usage is lost', async () => {
  const long = delta('x'.repeat(5000)) + delta('', 'stop') + event({ choices: [], usage: USAGE }) + event('[DONE]')
  const document = { ...completion(USAGE), padding: 'x'.repeat(5000) }
  const { baseUrl } = await openProvider((_, response, body) => {
    if (!JSON.parse(body).stream) return sendDocument(response, document)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(long)
  })
  const { gateway, socketPath } = await openTestGateway({
    upstream: provider(baseUrl),
    limits: { answerCopyBytes: 1000 },
  })
  expect((await ask(socketPath, { body: chat({ stream: true }) })).body).toBe(long)
  expect((await ask(socketPath)).body).toBe(JSON.stringify(document))
  await until(() => gateway.calls.length === 2)
  expect(gateway.calls.map((call) => [call.error, call.provider_usage])).toEqual([
    [null, USAGE],
    [null, null],
  ])
})

test('a kept connection that the provider closed is opened again, without a failed call', async () => {
  const used = new Set<unknown>()
  const { baseUrl, requests } = await openProvider((incoming, response) => {
    if (used.has(incoming.socket)) return void incoming.socket.destroy()
    used.add(incoming.socket)
    sendDocument(response, completion(USAGE))
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl) })
  await ask(socketPath)
  expect((await ask(socketPath)).status).toBe(200)
  expect(requests).toHaveLength(3)
  await until(() => gateway.calls.length === 2)
  expect(gateway.calls.map((call) => call.error)).toEqual([null, null])
})

test('a large answer waits for an agent that reads slowly, whole and in order', async () => {
  const body = JSON.stringify({ ...completion(USAGE), padding: 'x'.repeat(8_000_000) })
  const { baseUrl } = await openProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl), limits: { idleMs: 500 } })
  const response = await send(socketPath)
  await new Promise((resolve) => setTimeout(resolve, 1200))
  expect(gateway.calls).toHaveLength(0)
  expect((await receive(response)).body === body).toBe(true)
  await until(() => gateway.calls.length === 1)
  expect(gateway.calls[0]).toMatchObject({ error: null, response_bytes: body.length })
})

test('a calls file that cannot be written does not break the call, and is told', async () => {
  const { baseUrl } = await openProvider((_, response) => sendDocument(response, completion(USAGE)))
  const { gateway, socketPath } = await openTestGateway({ upstream: provider(baseUrl), callsFile: '/dev/full' })
  expect((await ask(socketPath)).status).toBe(200)
  await until(() => gateway.calls.length === 1)
  expect(gateway.problem?.message).toContain('/dev/full cannot be written: ENOSPC')
})

test('a socket path that is too long is refused with its length', async () => {
  const socketPath = `/tmp/${'x'.repeat(110)}`
  const opening = openGateway({
    socketPath,
    token: TOKEN,
    callsFile: '/dev/null',
    model: MODEL,
    prices: PRICES,
    upstream: provider('http://127.0.0.1:9/v1'),
  })
  await expect(opening).rejects.toThrow(/has 115 bytes, a unix socket takes 107/)
})

test('a socket that cannot be listened on is an error that names it', async () => {
  const opening = openGateway({
    socketPath: '/tmp/no-such-folder-of-rw30/gateway.sock',
    token: TOKEN,
    callsFile: '/dev/null',
    model: MODEL,
    prices: PRICES,
    upstream: provider('http://127.0.0.1:9/v1'),
  })
  await expect(opening).rejects.toThrow(/cannot listen on \/tmp\/no-such-folder-of-rw30/)
})
