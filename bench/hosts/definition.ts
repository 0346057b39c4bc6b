import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const exactVersion = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`
const registrySpec = new RegExp(`^(?:@[a-z0-9._~-]+/)?[a-z0-9._~-]+@${exactVersion}$`)
const tarballSpec = /^file:\/.+\.(?:tgz|tar\.gz)$/

/** One agent host: the packages of its prefix, the Node that runs it, and where its CLI lies. */
export const HostDefinitionSchema = z.strictObject({
  /** `name@1.2.3`, or `file:/absolute/path.tgz` (what `npm pack` makes). */
  packages: z
    .array(
      z.string().refine((spec) => registrySpec.test(spec) || tarballSpec.test(spec), {
        error: (issue) =>
          `${JSON.stringify(issue.input)} is not pinned: write name@1.2.3, or file:/absolute/path.tgz for a packed folder`,
      }),
    )
    .min(1),
  /** Below the prefix, e.g. `node_modules/my-agent/dist/cli.js`. */
  cli: z.string().regex(/^node_modules\/(?!.*\.\.)/, 'a path below the prefix that starts with node_modules/'),
  /** Exact version of the Node binary that the prefix carries. */
  node: z.string().regex(new RegExp(`^${exactVersion}$`), 'an exact Node version, e.g. 22.23.3'),
  /** Lock file with the exact version of every dependency. Without it npm decides on the day of the installation. */
  lock: z.string().optional(),
})
export type HostDefinition = z.infer<typeof HostDefinitionSchema>

export const HostDefinitionsSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'a host name is lower case letters, digits, dots, dashes'),
  HostDefinitionSchema,
)
export type HostDefinitions = z.infer<typeof HostDefinitionsSchema>

const NODE = '22.23.3'
const lockOf = (name: string) => fileURLToPath(new URL(`./locks/${name}.lock`, import.meta.url))

/** The hosts that come with the benchmark. */
export const PINNED_HOSTS: HostDefinitions = {
  'pi-1.6.0': {
    packages: ['@earendil-works/pi-coding-agent@1.6.0'],
    cli: 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js',
    node: NODE,
    lock: lockOf('pi-1.6.0'),
  },
  'pi-0.73.1': {
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    cli: 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js',
    node: NODE,
    lock: lockOf('pi-0.73.1'),
  },
}

/** The pinned hosts and the user's own (`hosts` of rw30.config.ts), which may replace a pinned one of the same name. */
export function mergeHosts(own: unknown = {}): HostDefinitions {
  const parsed = HostDefinitionsSchema.safeParse(own)
  if (!parsed.success) {
    throw new Error(`hosts in rw30.config.ts are wrong:\n${z.prettifyError(parsed.error)}`)
  }
  return { ...PINNED_HOSTS, ...parsed.data }
}

/** The definition of `name`; an unknown name is an error that lists the known ones. */
export function hostDefinition(name: string, definitions: HostDefinitions = PINNED_HOSTS): HostDefinition {
  const definition = definitions[name]
  if (!definition) {
    throw new Error(`no host is called ${JSON.stringify(name)}; known: ${Object.keys(definitions).sort().join(', ')}`)
  }
  return definition
}

/** `@scope/name` of `@scope/name@1.2.3`; null for a tarball, whose name only its package.json knows. */
export function packageName(spec: string): string | null {
  return tarballSpec.test(spec) ? null : spec.slice(0, spec.lastIndexOf('@'))
}

/** Path of the tarball of a `file:` spec; null for a registry spec. */
export function tarballPath(spec: string): string | null {
  return tarballSpec.test(spec) ? spec.slice('file:'.length) : null
}
