import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { AgentEventBody, AgentSession } from '../agents/agent.ts'
import { loadAdapter } from '../agents/index.ts'
import type { Service, Task } from '../corpus/scenario.ts'
import type { Budget } from '../gateway/budget.ts'
import { type Gateway, openGateway } from '../gateway/gateway.ts'
import { priceTable } from '../gateway/prices.ts'
import { mergeHosts } from '../hosts/definition.ts'
import { hostPrefix } from '../hosts/prefix.ts'
import type { JailLayout } from '../jail/definition.ts'
import { type Jail, type JailEnd, type JailService, jailLayout, openJail } from '../jail/jail.ts'
import { REPO } from '../paths.ts'
import type { AttemptOptions } from './attempt.ts'
import { type AttemptLogs, keepLog } from './logs.ts'
import type { ModelRoute } from './model-route.ts'
import { ATTEMPT_FILES } from './record-store.ts'
import type { Scratch } from './scratch.ts'
import { type CleanFixture, cleanFixture, Workspace } from './workspace.ts'

/** Everything that runs for an attempt, ready for the first message. */
export interface Scene {
  workspace: Workspace
  gateway: Gateway
  session: AgentSession
  /** Ends everything; resolves with how the jail ended and how many of its processes are left, which is 0. */
  close(): Promise<{ end: JailEnd; survivors: number }>
}

export interface SceneOptions {
  attempt: AttemptOptions
  /** The attempt's folder. */
  dir: string
  logs: AttemptLogs
  scratch: Scratch
  route: ModelRoute
  /** Opens the gateway, for this attempt alone. */
  token: string
  budget: Budget
  redact: (text: string) => string
  emit: (event: AgentEventBody) => void
}

/** Sets up workspace, gateway, jail with its services, and the agent in it. When a step fails, the earlier ones are undone. */
export async function setScene(options: SceneOptions): Promise<Scene> {
  const { attempt, dir, logs, scratch, route, token, redact } = options
  const { task, arm, config, python } = attempt
  const [fixture, adapter, layout] = await Promise.all([
    cleanFixture(task, python, config.scale),
    loadAdapter(arm.agent),
    jailLayout(),
  ])
  const workspace = new Workspace(scratch.workspace, task.scenario.editable_paths, fixture, scratch.aside)
  workspace.inject(task.scenario.stages[0]!.id)
  const host = hostPrefix(arm.host, mergeHosts(config.hosts))
  const { upstream, model } = route
  const launch = adapter.plan(
    {
      agent: arm.agent,
      host: arm.host,
      extensions: arm.extensions.map((path) => resolve(REPO, path)),
      settings: arm.settings,
    },
    { ...model, wire: 'chat-completions', baseUrl: `${layout.gatewayUrl}/v1`, token },
    layout.paths,
  )
  for (const [path, content] of Object.entries(launch.homeFiles)) {
    mkdirSync(dirname(join(scratch.home, path)), { recursive: true })
    writeFileSync(join(scratch.home, path), content, { mode: 0o600 })
  }
  const gateway = await openGateway({
    socketPath: scratch.socket,
    token,
    upstream,
    callsFile: join(dir, ATTEMPT_FILES.calls),
    model,
    prices: priceTable(config.prices),
    budget: options.budget,
  })
  let jail: Jail | null = null
  try {
    const serviceLog = logs.capped(ATTEMPT_FILES.services, redact)
    jail = await openJail({
      workspace: scratch.workspace,
      editable: task.scenario.editable_paths,
      home: scratch.home,
      hostPrefix: host.prefix,
      mounts: launch.mounts,
      gatewaySocket: scratch.socket,
      services: (task.scenario.services ?? []).map((service) => asJailService(service, task, fixture, layout)),
      argv: launch.argv,
      env: launch.env,
      onServiceOutput: (service, stream, text) => serviceLog(`[${service} ${stream}] ${text}`),
    })
    keepLog(jail.stderr, logs.capped(ATTEMPT_FILES.stderr, redact))
    const session = adapter.connect(jail.process, options.emit)
    const running = jail
    return {
      workspace,
      gateway,
      session,
      close: async () => {
        const { survivors } = await running.close()
        await gateway.close()
        return { end: await running.ended, survivors }
      },
    }
  } catch (error) {
    await jail?.close()
    await gateway.close()
    throw error
  }
}

/** A service of a scenario: its task's folder and the generated files are shown to it, and to nobody else. */
function asJailService(service: Service, task: Task, fixture: CleanFixture, layout: JailLayout): JailService {
  const first = fixture[task.scenario.stages[0]!.id]!
  return {
    id: service.id,
    argv: service.command.map((word) => word.replaceAll('{fixture}', layout.servicePath(service.id, 'fixture'))),
    mounts: { task: task.dir, fixture: first },
    cwd: 'task',
    urlFile: service.url_file,
  }
}
