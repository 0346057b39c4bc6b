import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEventBody, AgentSession } from '../../bench/agents/agent.ts'
import { adapter } from '../../bench/agents/pi.ts'
import { hostPrefix } from '../../bench/hosts/prefix.ts'
import { type Jail, jailLayout, openJail } from '../../bench/jail/jail.ts'
import { type FakeModel, type Reply, startFakeModel } from './support/fake-model.ts'
import { fakeModel, of } from './support/launch.ts'

const never = new AbortController().signal
const example = fileURLToPath(new URL('../../examples/trim-tool-output/index.ts', import.meta.url))

let folder: { path: string; cleanup(): Promise<void> }
let model: FakeModel
let jail: Jail | undefined
let stderr = ''
beforeEach(async () => {
  folder = await dir({ unsafeCleanup: true })
  model = await startFakeModel([], join(folder.path, 'gateway'))
})
afterEach(async () => {
  await jail?.close()
  jail = undefined
  await model.close()
  await folder.cleanup()
})

describe.each(['pi-1.6.0', 'pi-0.73.1'])('%s in the jail', (host) => {
  const start = async (script: Reply[]): Promise<{ session: AgentSession; events: AgentEventBody[] }> => {
    model.script.push(...script)
    const { paths, gatewayUrl } = await jailLayout()
    const spec = { agent: 'pi', host, extensions: [example], settings: {} }
    const plan = adapter.plan(spec, fakeModel(`${gatewayUrl}/v1`), paths)
    const [workspace, home] = ['workspace', 'home'].map((name) => join(folder.path, name)) as [string, string]
    mkdirSync(join(workspace, 'solution'), { recursive: true })
    for (const [file, content] of Object.entries(plan.homeFiles)) {
      mkdirSync(dirname(join(home, file)), { recursive: true })
      writeFileSync(join(home, file), content)
    }
    const gatewaySocket = join(folder.path, 'gateway')
    const binds = { workspace, editable: ['solution'], home, hostPrefix: hostPrefix(host).prefix, mounts: plan.mounts }
    jail = await openJail({ ...binds, gatewaySocket, services: [], argv: plan.argv, env: plan.env })
    stderr = ''
    jail.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const events: AgentEventBody[] = []
    return { session: adapter.connect(jail.process, (event) => events.push(event)), events }
  }

  it('works in the workspace through the restricted shell, which shows neither its home nor its Node', async () => {
    const { session, events } = await start([
      { command: 'pwd; echo 1 > solution/a; echo 2 > b; echo err > /dev/stderr' },
      { command: 'command -v node; ls "$HOME/agent" /run/rw30; env; ps; cat /proc/*/environ | tr "\\0" "\\n"' },
      { command: 'python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 0.5; echo started' },
      {
        command:
          'python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:8123/solution/a\').read())"',
      },
      { command: 'sleep 60 & echo $!; wait', timeout_ms: 300 },
      { command: 'grep -ls sleep /proc/[0-9]*/comm; true' },
    ])
    expect(await session.send('go', never).catch((error) => `${error} ${stderr}`)).toMatchObject({ text: 'DONE' })
    const [first, second, third, fourth, fifth, sixth] = of(events, 'tool_ended')
    expect(first?.text).toMatch(/^\/workspace\n.*b: Read-only file system\nerr$/s)
    expect(readFileSync(join(folder.path, 'workspace/solution/a'), 'utf8')).toBe('1\n')
    expect(second?.text).not.toMatch(/attempt-token|models\.json|bin\/node/)
    expect(third?.text).toBe('started')
    expect(fourth?.text).toBe("b'1\\n'")
    expect(fifth?.text).toMatch(/timed out after 300 ms/)
    expect(sixth?.text).toBe('(no output)')
    expect((await jail?.close())?.survivors).toBe(0)
  })

  it('ends by itself when it is asked to', async () => {
    const { session } = await start([])
    await session.send('go', never)
    await session.stop()
    expect(await jail?.process.exited).toEqual({ code: 0, signal: null })
  })
})
