import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentModel, AgentSpec } from '../../bench/agents/agent.ts'
import { UNKNOWN_TOKENS } from '../../bench/gateway/call.ts'
import { type FakeModel, type Reply, startFakeModel } from './support/fake-model.ts'
import { fakeModel, type Launched, launch, of } from './support/launch.ts'

const never = new AbortController().signal
const example = fileURLToPath(new URL('../../examples/trim-tool-output', import.meta.url))
/** Retries and compactions as pi makes them, but soon. */
const soon = { retry: { baseDelayMs: 20, provider: { maxRetries: 0 } }, compaction: { keepRecentTokens: 20 } }

let folder: { path: string; cleanup(): Promise<void> }
let model: FakeModel
let agent: Launched | undefined
beforeEach(async () => {
  folder = await dir({ unsafeCleanup: true })
  model = await startFakeModel()
})
afterEach(async () => {
  await agent?.end()
  agent = undefined
  await model.close()
  await folder.cleanup()
})

describe.each(['pi-1.6.0', 'pi-0.73.1'])('%s', (host) => {
  const second = host === 'pi-1.6.0'
  const start = (script: Reply[], spec: Partial<AgentSpec> = {}, over: Partial<AgentModel> = {}) => {
    model.script.push(...script)
    agent = launch(folder.path, { host, settings: { settings: soon }, ...spec }, fakeModel(model.baseUrl, over))
    return agent
  }

  it('runs commands with the neutral shell, its only tool, and reports what they and the model did', async () => {
    const { session, events } = start([{ command: 'pwd; env; echo no >&2; exit 3' }, { text: 'done' }])
    expect(await session.send('go', never)).toEqual({ stop: 'idle', text: 'done', detail: null })
    expect(model.requests[0]?.tools?.map((tool) => tool.function)).toMatchObject([
      { name: 'bash', parameters: { properties: { command: {}, timeout_ms: {} }, required: ['command'] } },
    ])
    expect(model.headers[0]?.authorization).toBe('Bearer attempt-token')
    const [ended] = of(events, 'tool_ended')
    expect(ended).toMatchObject({ is_error: true, text: expect.stringMatching(/no\n\nCommand exited with code 3$/) })
    expect(ended?.text).toContain(join(folder.path, 'workspace'))
    expect(ended?.text).not.toMatch(/attempt-token|PI_|RW30_/)
    const tokens = { fresh_input: 800, cache_read: 200, cache_write: 0, output: 7, reasoning: second ? 2 : null }
    expect(of(events, 'model_call')).toMatchObject([
      { tokens, stop_reason: 'toolUse', cost_usd: null },
      { tokens, stop_reason: 'stop' },
    ])
    expect(readdirSync(join(folder.path, 'workspace'))).toEqual([])
  })

  it('waits through retries, and speaks again after a turn that failed', async () => {
    const { session, events } = start([
      { status: 500 },
      { text: 'good' },
      { status: 400, message: 'bad' },
      { text: 'again' },
    ])
    expect(await session.send('one', never)).toMatchObject({ stop: 'idle', text: 'good' })
    expect(of(events, 'retry')).toMatchObject([{ attempt: 1, detail: expect.stringContaining('500') }])
    expect(of(events, 'model_call')[0]).toMatchObject({ tokens: UNKNOWN_TOKENS, stop_reason: 'error' })
    expect(await session.send('two', never)).toMatchObject({ stop: 'error', detail: expect.stringContaining('bad') })
    expect(await session.send('three', never)).toMatchObject({ stop: 'idle', text: 'again' })
  })

  it('gives up a turn when every retry fails', async () => {
    const { session, events } = start(Array.from({ length: 4 }, () => ({ status: 503 }) as const))
    expect(await session.send('one', never)).toMatchObject({ stop: 'error', detail: expect.stringContaining('503') })
    expect(of(events, 'retry')).toHaveLength(3)
    expect(model.requests).toHaveLength(4)
  })

  it('compacts on request and goes on; a second request straight after it fails without harm', async () => {
    const long = 'a long answer '.repeat(40)
    const { session, events } = start([{ text: long }, { text: long }, { text: 'after' }])
    await session.send('one', never)
    await session.send('two', never)
    expect(await session.compact(never)).toEqual({ phase: 'completed', detail: null })
    expect(await session.compact(never)).toEqual({ phase: 'failed', detail: 'Already compacted' })
    expect(await session.send('three', never)).toMatchObject({ text: 'after' })
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('SUMMARY')
    const compaction = of(events, 'model_call').filter((call) => call.stop_reason === 'compaction')
    expect(compaction).toHaveLength(second ? 1 : 0)
  })

  it('waits through a compaction of its own accord', async () => {
    const long = 'a long answer '.repeat(40)
    const { session, events } = start([{ text: long }, { text: long, prompt: 48_000 }, { text: 'after' }])
    await session.send('one', never)
    await session.send('two', never)
    expect(of(events, 'compaction')).toMatchObject([
      { phase: 'requested', origin: 'natural' },
      { phase: 'completed', origin: 'natural' },
    ])
    expect(await session.send('three', never)).toMatchObject({ text: 'after' })
  })

  it('stops at a signal while a command runs, and ends the command', async () => {
    const { session, events } = start([{ command: 'echo $$ > pid; sleep 60 & wait' }])
    const stop = new AbortController()
    const turn = session.send('go', stop.signal)
    const pid = join(folder.path, 'workspace', 'pid')
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8').trim(), { timeout: 20_000 }).toMatch(/\d/)
    stop.abort(new Error('deadline'))
    await expect(turn).rejects.toThrow('deadline')
    expect(of(events, 'turn_ended')).toMatchObject([{ stop: 'aborted', detail: 'deadline' }])
    await expect.poll(() => existsSync(`/proc/${readFileSync(pid, 'utf8').trim()}`)).toBe(false)
  })

  it('stops at a signal while the model is silent', async () => {
    const { session } = start([{ hang: true }])
    const stop = new AbortController()
    const turn = session.send('go', stop.signal)
    await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1)
    stop.abort(new Error('deadline'))
    await expect(turn).rejects.toThrow('deadline')
  })

  it('is gone when it is killed', async () => {
    const { session, pid } = start([{ hang: true }])
    const turn = session.send('go', never)
    await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1)
    process.kill(pid, 'SIGKILL')
    await expect(turn).rejects.toMatchObject({
      name: 'AgentGone',
      reason: 'agent_exited',
      message: expect.stringContaining('SIGKILL'),
    })
  })

  it('is gone when it does not start, and its standard error says why', async () => {
    const { session, stderr } = start([], { extensions: [join(folder.path, 'missing.ts')] })
    await expect(session.send('go', never)).rejects.toMatchObject({ name: 'AgentGone', reason: 'agent_exited' })
    expect(stderr()).toContain('missing.ts')
  })

  it('ends by itself when it is asked to', async () => {
    const { session, process } = start([])
    await session.send('go', never)
    await session.stop()
    expect(await process.exited).toEqual({ code: 0, signal: null })
  })

  it('asks for the level of reasoning, and takes a model name of any shape', async () => {
    const { session } = start([], {}, { id: 'vendor/some-model:free', reasoning: 'high' })
    await session.send('go', never)
    expect(model.requests[0]).toMatchObject({ model: 'vendor/some-model:free', reasoning_effort: 'high' })
  })

  it("loads an arm's extension: trim-tool-output shortens old output, and only that", async () => {
    const calls = Array.from({ length: 16 }, (_, i) => ({
      command: `echo start${i}; yes 0123456789 | head -400; echo end${i}`,
    }))
    const { session, events } = start(calls, { extensions: [example] })
    expect(await session.send('go', never)).toMatchObject({ stop: 'idle', text: 'DONE' })
    const shown =
      model.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool')
        .map(({ content }) => JSON.stringify(content)) ?? []
    const trimmed = shown.map((it) => it.includes('characters of this old output were left out'))
    expect(shown).toHaveLength(16)
    expect(trimmed.slice(0, 4)).toEqual([true, true, true, true])
    expect(trimmed.slice(-6)).toEqual([false, false, false, false, false, false])
    expect(of(events, 'warning')).toEqual([])
  })

  it.runIf(second)('lets no file of the work tree change its settings', async () => {
    mkdirSync(join(folder.path, 'workspace', '.pi'), { recursive: true })
    writeFileSync(join(folder.path, 'workspace', '.pi', 'settings.json'), '{"retry":{"enabled":false}}')
    const { session } = start([{ status: 500 }, { text: 'good' }])
    expect(await session.send('one', never)).toMatchObject({ stop: 'idle', text: 'good' })
  })
})
