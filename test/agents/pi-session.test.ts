import { describe, expect, it } from 'vitest'
import { UNKNOWN_TOKENS } from '../../bench/gateway/call.ts'
import { assistant, type Command, FakeAgent, NO_USAGE, state } from './support/fake-process.ts'

const never = new AbortController().signal
const start = { type: 'agent_start' }
const end = { type: 'agent_end', messages: [] }
const settled = { type: 'agent_settled', aborted: false }

/** A second-generation pi whose run prints `records`. */
const second = (...records: object[]) => ({
  prompt: (command: Command, agent: FakeAgent) => {
    agent.ok(command, { disposition: 'started' })
    agent.say(start, ...records)
  },
})

describe('a turn of the second generation', () => {
  it('ends at agent_settled and reports the last text, usage and messages in order', async () => {
    const agent = new FakeAgent(
      second(
        { type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] } },
        { type: 'tool_execution_start', toolCallId: 'c1', toolName: 'bash', args: { command: 'ls' } },
        {
          type: 'tool_execution_end',
          toolCallId: 'c1',
          toolName: 'bash',
          result: { content: [{ type: 'text', text: 'ä' }] },
          isError: false,
        },
        assistant('done'),
        end,
        settled,
      ),
    )
    expect(await agent.session.send('hi', never)).toEqual({ stop: 'idle', text: 'done', detail: null })
    expect(agent.commands).toMatchObject([{ type: 'prompt', message: 'hi', streamingBehavior: 'followUp' }])
    expect(agent.events).toEqual([
      { type: 'turn_started' },
      { type: 'message', role: 'user', text: 'hi' },
      { type: 'tool_started', id: 'c1', name: 'bash', input: { command: 'ls' } },
      { type: 'tool_ended', id: 'c1', name: 'bash', is_error: false, result_bytes: 2, text: 'ä' },
      {
        type: 'model_call',
        model: 'fake-1',
        tokens: { fresh_input: 1002, cache_read: 200, cache_write: 0, output: 7, reasoning: 2 },
        cost_usd: 0.00109,
        stop_reason: 'stop',
      },
      { type: 'message', role: 'assistant', text: 'done' },
      { type: 'turn_ended', stop: 'idle', detail: null },
    ])
  })

  it('is not over at agent_end: a retry and its answer belong to it', async () => {
    const failed = assistant('', { content: [], usage: NO_USAGE, stopReason: 'error', errorMessage: '500 fake error' })
    const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 200, errorMessage: '500 fake error' }
    const agent = new FakeAgent(
      second(
        failed,
        end,
        retry,
        start,
        assistant('second try'),
        { type: 'auto_retry_end', success: true },
        end,
        settled,
      ),
    )
    expect(await agent.session.send('hi', never)).toEqual({ stop: 'idle', text: 'second try', detail: null })
    expect(agent.of('model_call').map(({ tokens }) => tokens)[0]).toEqual(UNKNOWN_TOKENS)
    expect(agent.of('retry')).toEqual([{ type: 'retry', attempt: 1, detail: '500 fake error' }])
    expect(agent.commands.map(({ type }) => type)).toEqual(['prompt'])
  })

  it('that ended in an error says so and can be followed by another', async () => {
    const failed = assistant('', { content: [], usage: NO_USAGE, stopReason: 'error', errorMessage: '400 no' })
    const agent = new FakeAgent(second(failed, end, settled))
    const turn = { stop: 'error', text: null, detail: '400 no' }
    expect(await agent.session.send('a', never)).toEqual(turn)
    expect(await agent.session.send('b', never)).toEqual(turn)
  })

  it('that pi itself aborted is aborted', async () => {
    const agent = new FakeAgent(
      second(assistant('half', { stopReason: 'aborted' }), end, { ...settled, aborted: true }),
    )
    expect(await agent.session.send('a', never)).toMatchObject({ stop: 'aborted', text: 'half' })
  })

  it('that an extension handled ends at once', async () => {
    const agent = new FakeAgent({ prompt: (command, it) => it.ok(command, { disposition: 'handled' }) })
    expect(await agent.session.send('/x', never)).toEqual({ stop: 'idle', text: null, detail: null })
  })

  it('that is refused is an error with the reason', async () => {
    const agent = new FakeAgent({ prompt: (command, it) => it.no(command, 'no model') })
    expect(await agent.session.send('x', never)).toMatchObject({
      stop: 'error',
      detail: expect.stringContaining('no model'),
    })
  })

  it('cancels a dialog, since nobody is there to answer', async () => {
    const dialog = { type: 'extension_ui_request', id: 'd1', method: 'confirm', title: 'Sure?' }
    const agent = new FakeAgent({
      ...second(dialog),
      extension_ui_response: (_, it) => it.say(assistant('on'), settled),
    })
    expect(await agent.session.send('x', never)).toMatchObject({ text: 'on' })
    expect(agent.commands.at(-1)).toEqual({ type: 'extension_ui_response', id: 'd1', cancelled: true })
    expect(agent.of('warning')).toHaveLength(1)
  })
})

describe('a turn of the first generation', () => {
  const first = (records: object[], states: object[]) => ({
    prompt: (command: Command, agent: FakeAgent) => {
      agent.ok(command)
      agent.say(start, ...records)
    },
    get_state: (command: Command, agent: FakeAgent) => agent.ok(command, states.shift() ?? state()),
  })

  it('ends when the state after agent_end is idle', async () => {
    const agent = new FakeAgent(first([assistant('done'), end], []), { patience: { quietMs: 60_000 } })
    expect(await agent.session.send('hi', never)).toMatchObject({ stop: 'idle', text: 'done' })
    expect(agent.commands.map(({ type }) => type)).toEqual(['prompt', 'get_state'])
  })

  it.each([
    ['streaming', state({ isStreaming: true })],
    ['compacting', state({ isCompacting: true })],
    ['with a message queued', state({ pendingMessageCount: 1 })],
    ['with an action queued', { isStreaming: false, isCompacting: false, sessionActions: { queuedCount: 1 } }],
    [
      'with an action active',
      { isStreaming: false, isCompacting: false, sessionActions: { queuedCount: 0, active: {} } },
    ],
  ])('goes on while the state is %s', async (_, busy) => {
    const agent = new FakeAgent(first([assistant('early'), end], [busy]), { patience: { quietMs: 60_000 } })
    const turn = agent.session.send('hi', never)
    await expect.poll(() => agent.commands.length).toBe(2)
    agent.say(start, assistant('late'), end)
    expect(await turn).toMatchObject({ text: 'late' })
  })

  it('goes on while a retry waits, although the state looks idle', async () => {
    const failed = assistant('', { content: [], usage: NO_USAGE, stopReason: 'error', errorMessage: '500' })
    const retry = { type: 'auto_retry_start', attempt: 1, errorMessage: '500' }
    const agent = new FakeAgent(first([failed, end, retry], []), { patience: { quietMs: 5 } })
    const turn = agent.session.send('hi', never)
    await expect.poll(() => agent.commands.length).toBeGreaterThan(3)
    expect(agent.of('turn_ended')).toEqual([])
    agent.say(start, assistant('good'), { type: 'auto_retry_end', success: true }, end)
    expect(await turn).toMatchObject({ stop: 'idle', text: 'good' })
  })

  it('goes on after a compaction that will retry', async () => {
    const compaction = [
      { type: 'compaction_start', reason: 'overflow' },
      { type: 'compaction_end', reason: 'overflow', result: { summary: 's' }, aborted: false, willRetry: true },
    ]
    const agent = new FakeAgent(first([assistant('', { stopReason: 'error' }), end, ...compaction], []))
    const turn = agent.session.send('hi', never)
    await expect.poll(() => agent.commands.length).toBeGreaterThan(2)
    agent.say(start, assistant('good'), end)
    expect(await turn).toMatchObject({ stop: 'idle', text: 'good' })
    expect(agent.of('compaction')).toMatchObject([
      { phase: 'requested', origin: 'natural', detail: 'overflow' },
      { phase: 'completed', origin: 'natural' },
    ])
  })

  it('ends by the state when a run prints nothing at all', async () => {
    const agent = new FakeAgent({ prompt: (it, a) => a.ok(it), get_state: (it, a) => a.ok(it, state()) })
    expect(await agent.session.send('/handled', never)).toEqual({ stop: 'idle', text: null, detail: null })
  })
})

describe('compaction', () => {
  it.each([
    ['completed', (it: Command, agent: FakeAgent) => agent.ok(it, { summary: 's' }), null],
    ['failed', (it: Command, agent: FakeAgent) => agent.no(it, 'Already compacted'), 'Already compacted'],
    [
      'unsupported',
      (it: Command, agent: FakeAgent) => agent.no(it, 'Unknown command: compact'),
      'Unknown command: compact',
    ],
    [
      'unsupported',
      (_: Command, agent: FakeAgent) =>
        agent.say({ type: 'response', command: 'compact', success: false, error: 'Unknown command: compact' }),
      'Unknown command: compact',
    ],
  ] as const)('on request is %s', async (phase, compact, detail) => {
    const agent = new FakeAgent({ compact })
    expect(await agent.session.compact(never)).toEqual({ phase, detail })
    expect(agent.of('compaction').map((event) => [event.phase, event.origin])).toEqual([
      ['requested', 'requested'],
      [phase, 'requested'],
    ])
  })

  it('reports its own model call where pi tells it', async () => {
    const usage = { input: 1135, output: 7, cacheRead: 200, cacheWrite: 0, reasoning: 2, cost: { total: 0 } }
    const agent = new FakeAgent({
      compact: (command, it) => {
        it.say({ type: 'compaction_start', reason: 'manual' })
        it.say({ type: 'compaction_end', reason: 'manual', result: { summary: 's', usage }, aborted: false })
        it.ok(command, {})
      },
    })
    await agent.session.compact(never)
    expect(agent.of('model_call')).toMatchObject([
      { tokens: { fresh_input: 1135 }, cost_usd: null, stop_reason: 'compaction' },
    ])
    expect(agent.of('compaction')).toHaveLength(2)
  })
})

describe('an agent that is gone', () => {
  const gone = (reason: string) => expect.objectContaining({ name: 'AgentGone', reason })

  it('because its process exited fails the turn, and all that follow', async () => {
    const agent = new FakeAgent({
      prompt: (command, it) => {
        it.ok(command, { disposition: 'started' })
        it.stdout.end()
        it.exit(1)
      },
    })
    await expect(agent.session.send('hi', never)).rejects.toEqual(gone('agent_exited'))
    await expect(agent.session.send('hi', never)).rejects.toEqual(gone('agent_exited'))
    await expect(agent.session.compact(never)).rejects.toEqual(gone('agent_exited'))
    expect(agent.of('turn_ended')).toHaveLength(1)
  })

  it('because it closed its output while it lives says that', async () => {
    const agent = new FakeAgent({ prompt: (_, it) => it.stdout.end() })
    await expect(agent.session.send('hi', never)).rejects.toEqual(gone('agent_closed_output'))
  })

  it('still has its last lines read', async () => {
    const agent = new FakeAgent({
      prompt: (command, it) => {
        it.exit(0)
        it.ok(command, { disposition: 'started' })
        it.say(start, assistant('last words'), end, settled)
        it.stdout.end()
      },
    })
    expect(await agent.session.send('hi', never)).toMatchObject({ text: 'last words' })
  })

  it('because it printed a 100 MB line, without keeping it', async () => {
    const block = Buffer.alloc(2 ** 20, 120)
    const agent = new FakeAgent({}, { limits: { lineBytes: 8 * 2 ** 20 } })
    const turn = agent.session.send('hi', never)
    let written = 0
    const write = () => {
      for (; written < 100; written++)
        if (!agent.stdout.write(block))
          return agent.stdout.once('drain', () => {
            written++
            write()
          })
    }
    write()
    await expect(turn).rejects.toEqual(gone('agent_output_limit'))
    await expect.poll(() => written).toBe(100) // What comes later is read and dropped: the agent is never blocked.
  })

  it('because it printed too much in all', async () => {
    const agent = new FakeAgent(second(...Array.from({ length: 50 }, () => assistant('x'.repeat(100)))), {
      limits: { totalBytes: 10_000 },
    })
    await expect(agent.session.send('hi', never)).rejects.toEqual(gone('agent_output_limit'))
  })

  it('because it talked nonsense, but not for a few lines of it', async () => {
    const agent = new FakeAgent(second(), { limits: { noiseLines: 3 } })
    const turn = agent.session.send('hi', never)
    agent.stdout.write('npm warn\n"text"\n[1]\n')
    agent.say(assistant('fine'), settled)
    expect(await turn).toMatchObject({ text: 'fine' })
    expect(agent.of('warning')).toHaveLength(3)
    const next = agent.session.send('hi', never)
    agent.stdout.write('once more\n')
    await expect(next).rejects.toEqual(gone('agent_protocol'))
  })
})

describe('a signal', () => {
  it('aborts the agent, is waited for a bounded time, and its reason is thrown', async () => {
    const stop = new AbortController()
    const agent = new FakeAgent(second())
    const turn = agent.session.send('hi', stop.signal)
    await expect.poll(() => agent.commands.length).toBe(1)
    stop.abort(new Error('deadline'))
    await expect(turn).rejects.toThrow('deadline')
    expect(agent.commands.map(({ type }) => type)).toEqual(['prompt', 'abort'])
    expect(agent.of('turn_ended')).toEqual([{ type: 'turn_ended', stop: 'aborted', detail: 'deadline' }])
  })

  it('that has aborted before sends nothing', async () => {
    const agent = new FakeAgent(second())
    await expect(agent.session.send('hi', AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
    await expect(agent.session.compact(AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
    expect(agent.commands).toEqual([])
    expect(agent.events).toEqual([])
  })

  it('ends a compaction that never answers', async () => {
    const stop = new AbortController()
    const agent = new FakeAgent({ compact: () => stop.abort(new Error('deadline')) })
    await expect(agent.session.compact(stop.signal)).rejects.toThrow('deadline')
    expect(agent.of('compaction').at(-1)).toMatchObject({ phase: 'failed', detail: 'deadline' })
  })
})

it('one message at a time', async () => {
  const agent = new FakeAgent(second())
  const turn = agent.session.send('a', never)
  await expect(agent.session.send('b', never)).rejects.toThrow('one message at a time')
  agent.say(assistant('a'), settled)
  expect(await turn).toMatchObject({ text: 'a' })
})

it('stop closes the input and never rejects, even when the process stays', async () => {
  const agent = new FakeAgent({})
  await agent.session.stop()
  expect(agent.stdin.writableEnded).toBe(true)
})
