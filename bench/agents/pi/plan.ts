import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { JailPaths } from '../../jail/inside.ts'
import type { AgentModel, AgentSpec, LaunchPlan } from '../agent.ts'

const PROVIDER = 'rw30'
const SHELL_EXTENSION = 'neutral-shell.ts'
/** Levels that pi offers only where a model's entry names the provider's word for them. */
const MAPPED_LEVELS = ['xhigh', 'max']

/** What an arm may set (`settings` of rw30.config.ts) when its agent is pi. */
export const PiSettingsSchema = z.strictObject({
  /** Names of further tools that the arm's extensions register; all others stay hidden from the model. */
  tools: z.array(z.string().regex(/^[\w.-]+$/)).default([]),
  /** Further flags of the command line, e.g. an extension's own. */
  flags: z.array(z.string()).default([]),
  /** Further environment variables of the agent process. */
  env: z.record(z.string(), z.string()).default({}),
  /** Merged over pi's settings.json. */
  settings: z.record(z.string(), z.unknown()).default({}),
})

/**
 * Plans a pi that has one tool, `bash`, which the neutral shell provides, and loads nothing but the arm's extensions:
 * no discovery, no context files, no telemetry. Compaction and retries are pi's defaults unless the arm sets them.
 */
export function planPi(spec: AgentSpec, model: AgentModel, paths: JailPaths): LaunchPlan {
  const { tools, flags, env, settings } = PiSettingsSchema.parse(spec.settings)
  const extensions = spec.extensions.map((path, index) => ({ name: `${index + 1}-${basename(path)}`, path }))
  const names = [SHELL_EXTENSION, ...extensions.map(({ name }) => name)]
  return {
    argv: [
      `${paths.host}/bin/node`,
      `${paths.host}/bin/cli`,
      ...['--mode', 'rpc', '--provider', PROVIDER, '--model', model.id, '--thinking', model.reasoning ?? 'off'],
      ...['--session-dir', `${paths.home}/sessions`, '--offline'],
      ...['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files'],
      ...['--tools', ['bash', ...tools].join(',')],
      ...names.flatMap((name) => ['-e', `${paths.extras}/${name}`]),
      ...flags,
    ],
    env: {
      HOME: paths.home,
      PI_CODING_AGENT_DIR: `${paths.home}/agent`,
      TMPDIR: `${paths.home}/tmp`,
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      PI_SKIP_VERSION_CHECK: '1',
      RW30_SHELL: paths.shell,
      RW30_WORKSPACE: paths.workspace,
      ...env,
    },
    homeFiles: {
      'agent/models.json': json({ providers: { [PROVIDER]: provider(model) } }),
      'agent/settings.json': json(merge(settingsFor(model), settings)),
      'tmp/.keep': '',
      'sessions/.keep': '',
    },
    mounts: {
      [SHELL_EXTENSION]: fileURLToPath(new URL(`./${SHELL_EXTENSION}`, import.meta.url)),
      ...Object.fromEntries(extensions.map(({ name, path }) => [name, path])),
    },
  }
}

const settingsFor = (model: AgentModel) => ({
  quietStartup: true,
  enableInstallTelemetry: false,
  // Files in a `.pi/` folder of the work tree would override these settings.
  defaultProjectTrust: 'never',
  ...(model.compactionKeepsTokens !== null && { compaction: { keepRecentTokens: model.compactionKeepsTokens } }),
})

function provider(model: AgentModel) {
  const level = model.reasoning
  return {
    baseUrl: model.baseUrl,
    api: 'openai-completions',
    apiKey: model.token,
    models: [
      {
        id: model.id,
        name: model.id,
        reasoning: level !== null,
        ...(level !== null && MAPPED_LEVELS.includes(level) ? { thinkingLevelMap: { [level]: level } } : {}),
        input: ['text'],
        contextWindow: model.contextWindow,
        maxTokens: model.maxOutputTokens,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      },
    ],
  }
}

function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key]
    merged[key] = isRecord(old) && isRecord(value) ? merge(old, value) : value
  }
  return merged
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
