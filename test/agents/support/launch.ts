import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentEventBody, AgentModel, AgentSession, AgentSpec, LaunchPlan } from '../../../bench/agents/agent.ts'
import { adapter } from '../../../bench/agents/pi.ts'
import { hostPrefix } from '../../../bench/hosts/prefix.ts'
import type { JailPaths, JailProcess } from '../../../bench/jail/inside.ts'

export interface Launched {
  plan: LaunchPlan
  paths: JailPaths
  pid: number
  process: JailProcess
  session: AgentSession
  events: AgentEventBody[]
  stderr: () => string
  end(): Promise<void>
}

export function fakeModel(baseUrl: string, over: Partial<AgentModel> = {}): AgentModel {
  const base = { id: 'fake-1', wire: 'chat-completions', baseUrl, token: 'attempt-token', reasoning: null } as const
  return { ...base, contextWindow: 50_000, maxOutputTokens: 4_096, compactionKeepsTokens: null, ...over }
}

/** Starts the real host as the plan says, in `folder` instead of a jail: bash plays the restricted shell. */
export function launch(folder: string, spec: Partial<AgentSpec>, model: AgentModel): Launched {
  const host = spec.host ?? 'pi-1.6.0'
  const shell = join(folder, 'shell')
  writeFileSync(shell, '#!/bin/bash\nexec /bin/bash "$@"\n')
  chmodSync(shell, 0o755)
  const paths = {
    workspace: join(folder, 'workspace'),
    home: join(folder, 'home'),
    host: hostPrefix(host).prefix,
    shell,
    extras: join(folder, 'extras'),
  }
  for (const path of [paths.workspace, paths.home, paths.extras]) mkdirSync(path, { recursive: true })
  const plan = adapter.plan({ agent: 'pi', host, extensions: [], settings: {}, ...spec }, model, paths)
  for (const [file, content] of Object.entries(plan.homeFiles)) {
    mkdirSync(dirname(join(paths.home, file)), { recursive: true })
    writeFileSync(join(paths.home, file), content)
  }
  for (const [name, path] of Object.entries(plan.mounts)) symlinkSync(path, join(paths.extras, name))
  const [command, ...args] = plan.argv as [string, ...string[]]
  const child = spawn(command, args, { cwd: paths.workspace, env: plan.env, stdio: 'pipe' })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  const process = { stdin: child.stdin, stdout: child.stdout, exited }
  const events: AgentEventBody[] = []
  const session = adapter.connect(process, (event) => events.push(event))
  const end = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { plan, paths, pid: child.pid as number, process, session, events, stderr: () => stderr, end }
}

/** The events of one type. */
export function of<T extends AgentEventBody['type']>(
  events: AgentEventBody[],
  type: T,
): Extract<AgentEventBody, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<AgentEventBody, { type: T }>[]
}
