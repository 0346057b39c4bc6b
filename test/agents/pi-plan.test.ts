import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AgentModel, AgentSpec } from '../../bench/agents/agent.ts'
import { adapter } from '../../bench/agents/pi.ts'

const paths = { workspace: '/workspace', home: '/home/agent', host: '/host', shell: '/run/shell', extras: '/extras' }
const model: AgentModel = {
  id: 'm-1',
  wire: 'chat-completions',
  baseUrl: 'http://127.0.0.1:1/v1',
  token: 'tok',
  contextWindow: 1000,
  maxOutputTokens: 100,
  compactionKeepsTokens: null,
  reasoning: null,
}
const plan = (spec: Partial<AgentSpec> = {}, over: Partial<AgentModel> = {}) =>
  adapter.plan({ agent: 'pi', host: 'pi-1.6.0', extensions: [], settings: {}, ...spec }, { ...model, ...over }, paths)
const file = (it: ReturnType<typeof plan>, name: string) => JSON.parse(it.homeFiles[name] ?? 'null')

describe('the plan of a pi arm', () => {
  it("starts the host's own node and cli, with the bash tool only", () => {
    const { argv } = plan()
    expect(argv.slice(0, 4)).toEqual(['/host/bin/node', '/host/bin/cli', '--mode', 'rpc'])
    expect(argv[argv.indexOf('--tools') + 1]).toBe('bash')
    expect(argv[argv.indexOf('-e') + 1]).toBe('/extras/neutral-shell.ts')
  })

  it('differs between arms only by their extensions and settings', () => {
    const plain = plan()
    const arm = plan({
      extensions: ['/a/trim', '/b/trim'],
      settings: { tools: ['recall'], flags: ['--x'], env: { A: '1' } },
    })
    expect(arm.argv.filter((it) => !plain.argv.includes(it))).toEqual([
      'bash,recall',
      '/extras/1-trim',
      '/extras/2-trim',
      '--x',
    ])
    expect(arm.env).toEqual({ ...plain.env, A: '1' })
    expect(arm.mounts).toEqual({ ...plain.mounts, '1-trim': '/a/trim', '2-trim': '/b/trim' })
    expect(arm.homeFiles).toEqual(plain.homeFiles)
  })

  it('mounts files that exist, and writes everything below the home', () => {
    for (const path of Object.values(plan().mounts)) expect(existsSync(path)).toBe(true)
    for (const name of ['PI_CODING_AGENT_DIR', 'TMPDIR', 'HOME']) expect(plan().env[name]).toMatch(/^\/home\/agent/)
  })

  it('points the model at the gateway', () => {
    const provider = file(plan(), 'agent/models.json').providers.rw30
    expect(provider).toMatchObject({ baseUrl: model.baseUrl, apiKey: 'tok', api: 'openai-completions' })
    expect(provider.models).toMatchObject([{ id: 'm-1', reasoning: false, contextWindow: 1000, maxTokens: 100 }])
  })

  it('maps the highest levels of reasoning, which pi else refuses', () => {
    const high = plan({}, { reasoning: 'xhigh' })
    expect(high.argv[high.argv.indexOf('--thinking') + 1]).toBe('xhigh')
    expect(file(high, 'agent/models.json').providers.rw30.models[0]).toMatchObject({
      reasoning: true,
      thinkingLevelMap: { xhigh: 'xhigh' },
    })
  })

  it("merges the arm's settings over its own", () => {
    const settings = file(
      plan({ settings: { settings: { compaction: { keepRecentTokens: 5 } } } }),
      'agent/settings.json',
    )
    expect(settings).toMatchObject({ defaultProjectTrust: 'never', compaction: { keepRecentTokens: 5 } })
  })

  it('refuses settings that it does not know, all of them at once', () => {
    expect(() => plan({ settings: { tool: ['x'], flags: 'y' } })).toThrow(/flags[\s\S]*tool|tool[\s\S]*flags/)
  })
})
