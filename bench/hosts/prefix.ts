import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir } from '../paths.ts'
import { type HostDefinition, type HostDefinitions, hostDefinition, PINNED_HOSTS, tarballPath } from './definition.ts'

/** Raised when what an installation lays down changes, so that older prefixes are not taken for new ones. */
const LAYOUT = 1

export const HostManifestSchema = z.strictObject({
  schema: z.literal('rw30.host/v1'),
  name: z.string(),
  /** Of the definition: names the prefix's folder. */
  digest: z.string(),
  /** Package name -> version, as installed. */
  packages: z.record(z.string(), z.string()),
  node: z.string(),
  /** SHA-256 over path, version and integrity of every installed package: equal digests are equal trees. */
  tree_digest: z.string(),
  tree_packages: z.int().positive(),
  /** What the cheap check compares: sizes of the files that are started. */
  node_bytes: z.int().positive(),
  cli_bytes: z.int().positive(),
  installed_at: z.iso.datetime(),
})
export type HostManifest = z.infer<typeof HostManifestSchema>

/** An installed host. `node` and `cli` are paths below `prefix`, the same for every host. */
export interface HostPrefix {
  name: string
  prefix: string
  node: 'bin/node'
  cli: 'bin/cli'
  /** `package@version` of the host's first package. */
  version: string
  manifest: HostManifest
}

/** The host is missing or is not what its manifest says; the message names the command that installs it. */
export class HostNotReady extends Error {
  override name = 'HostNotReady'
}

/** Folder of the host's prefix; another package set, lock, Node or platform is another folder. */
export function prefixPath(name: string, definition: HostDefinition, root = cacheDir()): string {
  return join(root, 'hosts', `${name}-${definitionDigest(definition)}`)
}

/** First 12 hex digits of a SHA-256 over everything that decides what is installed, contents of tarballs included. */
export function definitionDigest(definition: HostDefinition): string {
  const parts = {
    layout: LAYOUT,
    packages: definition.packages.map((spec) => [spec, contentDigest(tarballPath(spec))]),
    cli: definition.cli,
    node: definition.node,
    lock: contentDigest(definition.lock ?? null),
    platform: `${process.platform}-${process.arch}`,
  }
  return sha256(JSON.stringify(parts)).slice(0, 12)
}

/** The installed host, checked cheaply (a few files are looked at). Throws HostNotReady. */
export function hostPrefix(name: string, definitions: HostDefinitions = PINNED_HOSTS, root = cacheDir()): HostPrefix {
  const definition = hostDefinition(name, definitions)
  const prefix = prefixPath(name, definition, root)
  const manifest = checkPrefix(name, definition, prefix)
  const [main, version] = Object.entries(manifest.packages)[0] as [string, string]
  return { name, prefix, node: 'bin/node', cli: 'bin/cli', version: `${main}@${version}`, manifest }
}

export function checkPrefix(name: string, definition: HostDefinition, prefix: string): HostManifest {
  const path = join(prefix, 'manifest.json')
  if (!existsSync(path)) {
    throw new HostNotReady(`host ${name} is not installed (${prefix} is missing); run: npm run hosts -- ${name}`)
  }
  const problems: string[] = []
  const parsed = HostManifestSchema.safeParse(readJson(path))
  if (!parsed.success) {
    problems.push(`manifest.json: ${z.prettifyError(parsed.error)}`)
  } else {
    const manifest = parsed.data
    if (manifest.digest !== definitionDigest(definition)) problems.push('manifest.json is of another definition')
    compareSize(problems, prefix, 'bin/node', manifest.node_bytes)
    compareSize(problems, prefix, 'bin/cli', manifest.cli_bytes)
    for (const [name, version] of Object.entries(manifest.packages)) {
      const found = installedVersion(prefix, name)
      if (found !== version) problems.push(`${name} is ${found ?? 'missing'}, the manifest says ${version}`)
    }
    if (problems.length === 0) return manifest
  }
  throw new HostNotReady(
    `host ${name} in ${prefix} is damaged:\n  ${problems.join('\n  ')}\nrun: npm run hosts -- ${name} --force`,
  )
}

/** Version of an installed package, null when it is not there. */
export function installedVersion(prefix: string, name: string): string | null {
  const json = readJson(join(prefix, 'node_modules', name, 'package.json'))
  return z.looseObject({ version: z.string() }).safeParse(json).data?.version ?? null
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function contentDigest(path: string | null): string | null {
  if (path === null) return null
  try {
    return sha256(readFileSync(path))
  } catch (error) {
    throw new Error(`cannot read ${path}, which a host definition names: ${(error as Error).message}`)
  }
}

function compareSize(problems: string[], prefix: string, file: string, bytes: number) {
  const found = statSync(join(prefix, file), { throwIfNoEntry: false })?.size ?? null
  if (found !== bytes) problems.push(`${file} ${found === null ? 'is missing' : `has ${found} bytes, not ${bytes}`}`)
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
