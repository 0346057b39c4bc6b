import { resolve } from 'node:path'
import { z } from 'zod'
import { PriceSchema } from './gateway/prices.ts'
import { HostDefinitionsSchema } from './hosts/definition.ts'
import { REPO } from './paths.ts'
import { listed, StacklessError } from './stackless.ts'

const name = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be lower-case letters, digits, ".", "_" or "-"')

const ArmSchema = z.strictObject({
  /** Adapter: the name of a file in bench/agents/. */
  agent: name.default('pi'),
  /** Host prefix: a name that `npm run hosts -- --list` shows. */
  host: name.default('pi-1.6.0'),
  /** Extensions that the agent loads, relative to the repository or absolute. */
  extensions: z.array(z.string().min(1)).default([]),
  /** Settings of the agent, merged over the adapter's own. */
  settings: z.record(z.string(), z.unknown()).default({}),
})

const ProviderModelSchema = z.strictObject({
  /** Name that the price table knows it by. */
  provider: name,
  id: z.string().min(1),
  /** Where the provider speaks the chat-completions format; ends in /v1 or the like. */
  base_url: z.url(),
  /** Environment variable that holds the key; it never enters the jail. */
  api_key_env: z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable'),
  context_window: z.int().min(1024),
  max_output_tokens: z.int().min(256),
  reasoning: z.enum(['off', 'minimal', 'low', 'medium', 'high']).nullable().default(null),
  /** `none`: the provider keeps no prompt cache, so that one that reports no cached tokens means 0. */
  prompt_cache: z.enum(['reported', 'none']).default('reported'),
})

/** What rw30.config.ts exports. Every key has a default; unknown keys are errors. */
export const ConfigSchema = z.strictObject({
  arms: z
    .record(name, ArmSchema)
    .refine((arms) => Object.keys(arms).length > 0, 'needs at least one arm')
    .default({ vanilla: ArmSchema.parse({}) }),
  /** Ratios are candidate / reference; default: the first arm is the reference, the last the candidate. */
  comparison: z.strictObject({ reference: name, candidate: name }).optional(),
  model: z.union([z.literal('rehearsal'), ProviderModelSchema]).default('rehearsal'),
  prices: z.array(PriceSchema).default([]),
  /** Hosts of your own, beside the pinned ones. */
  hosts: HostDefinitionsSchema.default({}),
  /** One retry for a primary that is not strict, or none. */
  retry_failed: z.literal([0, 1]).default(1),
  /** Pairs at the same time; each runs its arms side by side. */
  workers: z.int().min(1).max(64).default(1),
  results: z.string().min(1).default('results'),
  run_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, ".", "_", "-"')
    .optional(),
  /** Replaces every scenario's own limit. */
  timeout_seconds: z.number().positive().max(86_400).nullable().default(null),
  /** At this cost of the run no new attempt is admitted. */
  budget_usd: z.number().positive().nullable().default(null),
  /** `small` shrinks filler: for trying things out, never for results. */
  scale: z.enum(['full', 'small']).default('full'),
})

export type Config = z.output<typeof ConfigSchema>
export type UserConfig = z.input<typeof ConfigSchema>
export type Arm = Config['arms'][string] & { name: string }

/** Gives an editor the types of rw30.config.ts. */
export const defineConfig = (config: UserConfig): UserConfig => config

/** A number; what is none stays text, so that the message can show it. */
const number = (text: string): unknown => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** The `RW30_…` variables that stand in for a key of the configuration, and how their text is read. */
export const OVERRIDES: Record<
  string,
  { key: keyof Config | 'arms_subset' | 'reasoning'; read: (text: string) => unknown }
> = {
  RW30_ARMS: { key: 'arms_subset', read: (text) => text.split(',').map((part) => part.trim()) },
  RW30_MODEL: { key: 'model', read: (text) => (text === 'rehearsal' ? text : JSON.parse(text)) },
  RW30_REASONING: { key: 'reasoning', read: (text) => text },
  RW30_RETRY_FAILED: { key: 'retry_failed', read: number },
  RW30_WORKERS: { key: 'workers', read: number },
  RW30_RESULTS: { key: 'results', read: (text) => text },
  RW30_RUN_ID: { key: 'run_id', read: (text) => text },
  RW30_TIMEOUT_SECONDS: { key: 'timeout_seconds', read: number },
  RW30_BUDGET_USD: { key: 'budget_usd', read: number },
  RW30_SCALE: { key: 'scale', read: (text) => text },
}

/** Variables that are read elsewhere and are no part of the configuration. */
const OTHER_VARIABLES = ['RW30_PYTHON', 'RW30_CACHE', 'RW30_REHEARSAL_FAULTS']

/**
 * Validates a configuration with its overrides. Throws one error that lists everything that is wrong,
 * unknown keys and variables included, with what is allowed.
 */
export function resolveConfig(user: unknown, env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const merged: Record<string, unknown> = { ...(user as object) }
  let subset: string[] | undefined
  let reasoning: unknown
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('RW30_') || text === undefined || text === '') continue
    const override = OVERRIDES[variable]
    if (!override) {
      if (!OTHER_VARIABLES.includes(variable))
        problems.push(`${variable}: unknown; allowed: ${[...Object.keys(OVERRIDES), ...OTHER_VARIABLES].join(', ')}`)
      continue
    }
    let value: unknown
    try {
      value = override.read(text)
    } catch {
      problems.push(`${variable}: ${JSON.stringify(text)} must be "rehearsal" or a JSON object`)
      continue
    }
    if (override.key === 'arms_subset') subset = value as string[]
    else if (override.key === 'reasoning') reasoning = value
    else merged[override.key] = value
  }
  if (reasoning !== undefined) {
    if (typeof merged.model === 'object') merged.model = { ...merged.model, reasoning }
    else problems.push('RW30_REASONING: the rehearsal model has no reasoning setting')
  }
  const parsed = ConfigSchema.safeParse(merged)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(...describeIssue(issue, env))
    throw new ConfigError(problems)
  }
  const config = parsed.data
  if (subset) {
    const unknown = subset.filter((arm) => !config.arms[arm])
    if (unknown.length > 0)
      problems.push(`RW30_ARMS: no arm ${unknown.join(', ')}; allowed: ${Object.keys(config.arms).join(', ')}`)
    else config.arms = Object.fromEntries(Object.entries(config.arms).filter(([arm]) => subset.includes(arm)))
  }
  for (const [role, arm] of Object.entries(config.comparison ?? {}))
    if (!config.arms[arm] && !subset)
      problems.push(`comparison.${role}: no arm ${arm}; allowed: ${Object.keys(config.arms).join(', ')}`)
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** All problems of a configuration, listed together. */
export class ConfigError extends StacklessError {
  constructor(problems: string[]) {
    super(listed('rw30.config.ts or an RW30_ variable is wrong:', problems))
    // Printers show own enumerable fields beside the message.
    Object.defineProperty(this, 'problems', { value: problems })
  }
  declare readonly problems: string[]
}

export const armsOf = (config: Config): Arm[] => Object.entries(config.arms).map(([name, arm]) => ({ name, ...arm }))

/** The two arms that are compared; with one arm it is compared with nothing but itself. */
export function comparisonOf(config: Config): { reference: string; candidate: string } {
  const names = Object.keys(config.arms)
  const chosen = config.comparison
  if (chosen && names.includes(chosen.reference) && names.includes(chosen.candidate)) return chosen
  return { reference: names[0]!, candidate: names.at(-1)! }
}

export const resultsDirOf = (config: Config): string => resolve(REPO, config.results)

/** Keys that an object at a path of the configuration may have; by path, the names of arms, hosts and prices left out. */
const KEYS: Record<string, readonly string[]> = {
  '': Object.keys(ConfigSchema.shape),
  arms: Object.keys(ArmSchema.shape),
  comparison: ['reference', 'candidate'],
  model: Object.keys(ProviderModelSchema.shape),
  prices: Object.keys(PriceSchema.shape),
}

/** One line for a zod issue: where, what, what is allowed where that is known, and the variable that it came from. */
function describeIssue(issue: z.core.$ZodIssue, env: NodeJS.ProcessEnv): string[] {
  const at = issue.path.join('.')
  const [variable, { key } = { key: null }] =
    Object.entries(OVERRIDES).find(([name, override]) => override.key === issue.path[0] && env[name]) ?? []
  const from = variable ? ` (${variable}${key === 'model' ? '' : `=${env[variable]}`})` : ''
  if (issue.code === 'unrecognized_keys') {
    const allowed = KEYS[String(issue.path[0] ?? '')]
    const names = issue.keys.map((key) => `"${key}"`).join(', ')
    return [`${at ? `${at}: ` : ''}unknown ${names}${allowed ? `; allowed: ${allowed.join(', ')}` : ''}${from}`]
  }
  if (issue.code === 'invalid_key')
    return [`${at}: the name ${issue.issues.map((inner) => inner.message).join(', ')}${from}`]
  if (issue.code === 'invalid_union' && issue.path[0] === 'model') {
    const inner = issue.errors.at(-1) ?? []
    if (inner.every((problem) => problem.path.length === 0 && problem.code === 'invalid_type'))
      return [`${at}: must be 'rehearsal' or an object with ${KEYS.model!.join(', ')}${from}`]
    return inner.flatMap((problem) => describeIssue({ ...problem, path: [...issue.path, ...problem.path] }, env))
  }
  return [`${at}: ${issue.message}${from}`]
}
