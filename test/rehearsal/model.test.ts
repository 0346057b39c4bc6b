import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Gateway } from '../../bench/gateway/gateway.ts'
import { priceTable } from '../../bench/gateway/prices.ts'
import type { Message } from '../../bench/rehearsal/chat.ts'
import { REHEARSAL_MODEL, type RehearsalOptions, rehearsalModel } from '../../bench/rehearsal/model.ts'
import { loadScript, scriptOf } from '../../bench/rehearsal/script.ts'
import { serveRehearsal } from '../../bench/rehearsal/server.ts'
import { tokenCounter } from '../../bench/rehearsal/token-count.ts'
import { ask, openTestGateway, type Sending, until } from '../gateway/support.ts'
import { folder, STAGES, taskFolder, user } from './support.ts'

const TOOLS = [
  {
    type: 'function',
    function: { name: 'read', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  },
  {
    type: 'function',
    function: {
      name: 'bash',
      description: 'Runs a command.',
      parameters: {
        type: 'object',
        properties: { command: { type: 'string' }, description: { type: 'string' }, timeout: { type: 'number' } },
        required: ['command', 'description'],
      },
    },
  },
]

async function openRehearsal(options: RehearsalOptions) {
  return openTestGateway({
    upstream: { kind: 'handler', handle: rehearsalModel(options).handle },
    model: REHEARSAL_MODEL,
    prices: priceTable(),
  })
}

const request = (messages: Message[], changes: Record<string, unknown> = {}): Sending => ({
  body: { model: REHEARSAL_MODEL.id, messages, tools: TOOLS, ...changes },
})

interface Turn {
  text: string | null
  tool: { id: string; name: string; arguments: string } | null
  usage: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details: { cached_tokens: number } } | null
}

function readDocument(body: string): Turn {
  const answer = JSON.parse(body)
  const { content, tool_calls: calls } = answer.choices[0].message
  return { text: content, tool: calls ? { id: calls[0].id, ...calls[0].function } : null, usage: answer.usage ?? null }
}

function readStream(body: string): Turn {
  const turn: Turn = { text: null, tool: null, usage: null }
  for (const line of body.split('\n').filter((part) => part.startsWith('data: {'))) {
    const event = JSON.parse(line.slice('data: '.length))
    turn.usage = event.usage ?? turn.usage
    const delta = event.choices[0]?.delta ?? {}
    if (typeof delta.content === 'string') turn.text = (turn.text ?? '') + delta.content
    for (const call of delta.tool_calls ?? []) {
      if (call.id) turn.tool = { id: call.id, ...call.function }
      else turn.tool!.arguments += call.function.arguments
    }
  }
  return turn
}

/** A plain agent: runs each tool call with bash in a folder until it is given a text. */
async function runAgent(socketPath: string, messages: Message[], cwd: string, stream: boolean): Promise<string> {
  while (true) {
    const { body, status } = await ask(socketPath, request(messages, { stream }))
    expect(status).toBe(200)
    const turn = stream ? readStream(body) : readDocument(body)
    if (!turn.tool) {
      messages.push({ role: 'assistant', content: turn.text })
      return turn.text!
    }
    const { id, ...call } = turn.tool
    messages.push({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] })
    const output = run(JSON.parse(call.arguments).command, cwd)
    messages.push({ role: 'tool', tool_call_id: id, content: output })
  }
}

function run(command: string, cwd: string): string {
  try {
    return execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch (error) {
    return `failed: ${(error as Error).message}`
  }
}

const REFERENCE = {
  'initial/solution/count.sh': 'wc -l < TASK.md\n'.repeat(400),
  'initial/commands': 'false\nmkdir -p output && echo one > output/count.txt\n',
  'late-changes/commands': 'echo two >> output/count.txt\n',
}

test.each([true, false])(
  'it plays the reference through the shell tool, stage by stage (stream: %s)',
  async (stream) => {
    const { gateway, socketPath } = await openRehearsal({ script: loadScript(await taskFolder(REFERENCE)) })
    const cwd = await folder()
    const messages: Message[] = [{ role: 'system', content: 'You are an agent.' }]
    for (const { id, message } of STAGES) {
      gateway.setStage(id)
      messages.push(user(message))
      expect(await runAgent(socketPath, messages, cwd, stream)).toContain(`stage ${id} is in place`)
    }
    expect(readFileSync(join(cwd, 'solution/count.sh'), 'utf8')).toBe(REFERENCE['initial/solution/count.sh'])
    expect(readFileSync(join(cwd, 'output/count.txt'), 'utf8')).toBe('one\ntwo\n')
    await until(() => gateway.calls.length === 8)
    expect(gateway.calls.map((call) => call.stage)).toEqual([
      ...Array(5).fill('initial'),
      ...Array(3).fill('late-changes'),
    ])
    expect(gateway.usage()).toMatchObject({ calls: { main: 8, failed: 0 }, known_token_calls: 8, known_cost_calls: 8 })
  },
)

test('the same requests give the same figures, and growing conversations read the cache', async () => {
  const figures = async () => {
    const { gateway, socketPath } = await openRehearsal({ script: loadScript(await taskFolder(REFERENCE)) })
    await runAgent(socketPath, [user(STAGES[0]!.message)], await folder(), true)
    await until(() => gateway.calls.length === 5)
    return gateway.calls.map(({ tokens, request_bytes, response_bytes }) => ({ tokens, request_bytes, response_bytes }))
  }
  const once = await figures()
  expect(await figures()).toEqual(once)
  expect(once[0]!.tokens.cache_read).toBe(0)
  expect(once[3]!.tokens.cache_read).toBeGreaterThanOrEqual(1024)
  for (const { tokens } of once) expect(tokens.cache_read! % 128).toBe(0)
})

test('the cache holds the longest shared prefix, rounded down, from 1024 tokens on', async () => {
  const counter = await tokenCounter()
  const words = (count: number) => 'alpha\n'.repeat(count)
  const prompt = (...contents: string[]) =>
    counter.prompt({ model: 'm', messages: contents.map((content) => user(content)) })
  const message = (content: string) => counter.text(`user\n${content}`) + 4
  const rounded = (tokens: number) => tokens - (tokens % 128)
  const [long, short] = [words(600), words(300)]

  expect(prompt(short)).toEqual({ prompt: message(short) + 3, cached: 0 })
  expect(message(short)).toBeLessThan(1024)
  expect(prompt(short, 'again').cached).toBe(0)
  expect(prompt(long)).toMatchObject({ prompt: message(long) + 3, cached: 0 })
  expect(message(long)).toBeGreaterThan(1024 + 128)
  expect(prompt(long, long)).toEqual({ prompt: 2 * message(long) + 3, cached: rounded(message(long)) })
  expect(prompt(long, `${short}other`).cached).toBe(rounded(message(long) + message(short) - 4))
  expect(prompt(long, long, 'end').cached).toBe(rounded(2 * message(long)))
  expect(prompt('end', long, long).cached).toBe(0)
})

test('odd texts are counted without failing or stalling', async () => {
  const counter = await tokenCounter()
  expect(counter.text('<|endoftext|>')).toBeGreaterThan(1)
  expect(counter.text('')).toBe(0)
  expect(counter.text('a'.repeat(100_000))).toBeGreaterThan(10_000)
})

test('a request that is sent again gets the same turn again', async () => {
  const stage = { ...STAGES[0]!, steps: [{ run: 'one' }, { run: 'two' }, { say: 'three' }] }
  const { socketPath } = await openRehearsal({ script: { stages: [stage] } })
  const id = async (text: string) => readDocument((await ask(socketPath, request([user(text)]))).body).tool?.id
  expect(await id('A summary without any trace.')).toBe('call_initial_1')
  expect(await id('A summary without any trace.')).toBe('call_initial_1')
  expect(await id('Another summary.')).toBe('call_initial_2')
})

test('after a compaction it goes on with the stage that it served last', async () => {
  const script = {
    stages: STAGES.map(({ id, message }) => ({
      id,
      message,
      steps: [{ run: 'one' }, { run: 'two' }, { say: 'three' }],
    })),
  }
  const { gateway, socketPath } = await openRehearsal({ script })
  const turn = async (sending: Sending) => readDocument((await ask(socketPath, sending)).body)
  const id = async (messages: Message[]) => (await turn(request(messages))).tool?.id
  expect(await id([user(STAGES[1]!.message)])).toBe('call_late-changes_1')
  gateway.setCompacting(true)
  const summary = await turn(
    request([user(`Summarize: ${STAGES[0]!.message} ${STAGES[1]!.message}`)], { tools: undefined }),
  )
  gateway.setCompacting(false)
  expect(summary.tool).toBeNull()
  expect(summary.text).toContain('Rehearsal summary')
  expect(await id([user(summary.text)])).toBe('call_late-changes_2')
  expect((await turn(request([user(`${summary.text} `)]))).text).toBe('three')
  await until(() => gateway.calls.length === 4)
  expect(gateway.calls.map((call) => call.kind)).toEqual(['main', 'compaction', 'main', 'main'])
})

test('the shell tool is told by its parameter, and its required texts are filled in', async () => {
  const { socketPath } = await openRehearsal({ script: scriptOf([{ run: 'ls' }]) })
  const { tool } = readDocument((await ask(socketPath, request([user('go')]))).body)
  expect(tool).toEqual({
    id: 'call_initial_1',
    name: 'bash',
    arguments: JSON.stringify({ command: 'ls', description: 'rehearsal' }),
  })
})

test('without a shell tool it says so', async () => {
  const { socketPath } = await openRehearsal({ script: scriptOf([{ run: 'ls' }]) })
  const { text } = readDocument((await ask(socketPath, request([user('go')], { tools: [TOOLS[0]] }))).body)
  expect(text).toContain('needs a tool that takes a "command" string')
})

const retry = async (faults: RehearsalOptions['faults'] & object, stream = true, limits = {}) => {
  const opened = await openTestGateway({
    upstream: {
      kind: 'handler',
      handle: rehearsalModel({ script: scriptOf([{ run: 'ls' }, { say: 'end' }]), faults }).handle,
    },
    model: REHEARSAL_MODEL,
    prices: priceTable(),
    limits,
  })
  const sending = request([user('go')], { stream })
  const faulty = await ask(opened.socketPath, sending)
  const good = await ask(opened.socketPath, sending)
  await until(() => opened.gateway.calls.length === 2)
  expect((stream ? readStream : readDocument)(good.body).tool?.id).toBe('call_initial_1')
  return { faulty, calls: opened.gateway.calls as Gateway['calls'] }
}

test.each(['429', '500', '503', '400'] as const)(
  'it fails with %s when asked to, then gives the same turn',
  async (status) => {
    const { faulty, calls } = await retry([{ do: status, when: { stage: 'initial', step: 1 } }])
    expect(faulty.status).toBe(Number(status))
    expect(calls[0]).toMatchObject({ status: Number(status), tokens: { output: null }, cost_usd: null })
    expect(calls[1]).toMatchObject({ status: 200, error: null })
  },
)

test.each([true, false])('it cuts an answer when asked to (stream: %s)', async (stream) => {
  const { faulty, calls } = await retry([{ do: 'cut' }], stream)
  expect(faulty.cut).toBe(true)
  expect(faulty.body.length).toBeGreaterThan(0)
  expect(calls[0]!.error).toContain('rehearsed cut')
})

test.each([true, false])('it talks nonsense when asked to (stream: %s)', async (stream) => {
  const { faulty, calls } = await retry([{ do: 'nonsense', when: { call: 1 } }], stream)
  expect(faulty.body).toContain('<html>')
  expect(calls[0]).toMatchObject({ status: 200, error: expect.stringContaining('no JSON') })
})

test('it falls silent when asked to', async () => {
  const { faulty, calls } = await retry([{ do: 'silence' }], true, { idleMs: 100 })
  expect(faulty.status).toBe(504)
  expect(calls[0]!.error).toBe('the provider sent nothing for 0.1 s')
})

test('it is slow, or leaves the usage out, when asked to', async () => {
  const { faulty, calls } = await retry([{ do: 'slow', value: 1 }, { do: 'no_usage' }])
  expect(faulty.status).toBe(200)
  expect(calls.map((call) => [call.error, call.tokens.output === null])).toEqual([
    [null, false],
    [null, true],
  ])
})

test('it can be served on the loopback, where a gateway takes it for a provider', async () => {
  const server = await serveRehearsal(rehearsalModel({ script: scriptOf([{ run: 'ls' }]), faults: [{ do: 'cut' }] }))
  onTestFinished(() => server.close())
  const { gateway, socketPath } = await openTestGateway({
    upstream: { kind: 'provider', baseUrl: server.baseUrl, apiKey: 'none' },
    model: REHEARSAL_MODEL,
    prices: priceTable(),
  })
  const sending = request([user('go')], { stream: true })
  expect((await ask(socketPath, sending)).cut).toBe(true)
  expect(readStream((await ask(socketPath, sending)).body).tool?.id).toBe('call_initial_1')
  expect((await fetch(`${server.baseUrl}/models`)).status).toBe(200)
  expect((await fetch(`${server.baseUrl}/other`)).status).toBe(404)
  await until(() => gateway.calls.length === 2)
  expect(gateway.calls[1]).toMatchObject({ error: null, tokens: { cache_write: 0 } })
  expect(gateway.calls[1]!.cost_usd).toBeGreaterThan(0)
})
