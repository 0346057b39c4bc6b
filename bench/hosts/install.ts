import { chmod, copyFile, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { dir } from 'tmp-promise'
import { z } from 'zod'
import { cacheDir } from '../paths.ts'
import { type HostDefinition, packageName } from './definition.ts'
import { writeJson } from './json.ts'
import {
  checkPrefix,
  definitionDigest,
  type HostManifest,
  HostNotReady,
  installedVersion,
  prefixPath,
  sha256,
} from './prefix.ts'

/** Platforms of which a Node binary is published as a package of its own; a lock holds them all. */
const NODE_PLATFORMS = ['linux-x64', 'linux-arm64']
const INSTALL_TIMEOUT_MS = 15 * 60_000
/** A temporary folder of this age was left by an installation that was killed. */
const ABANDONED_AFTER_MS = 60 * 60_000
/** Everything that a user's npm settings could change in the tree; where packages come from stays theirs. */
const NPM_FLAGS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--omit=dev',
  '--include=prod',
  '--include=optional',
  '--install-strategy=hoisted',
  '--package-lock=true',
  '--save=true',
  '--save-exact',
  '--global=false',
  '--workspaces=false',
  '--legacy-peer-deps=false',
  '--engine-strict=false',
  '--bin-links=false',
  '--loglevel=error',
]

export interface InstallResult {
  prefix: string
  manifest: HostManifest
  /** False when the prefix was there already. */
  installed: boolean
}

/**
 * Installs a host in its own prefix: into a temporary folder beside it, then renamed. Running it twice at once is safe.
 * Scripts of packages never run; Node comes from the platform's own package. `force` replaces a prefix that is there.
 */
export async function installHost(
  name: string,
  definition: HostDefinition,
  options: { force?: boolean; root?: string } = {},
): Promise<InstallResult> {
  const root = options.root ?? cacheDir()
  const prefix = prefixPath(name, definition, root)
  const ready = options.force ? null : readyManifest(name, definition, prefix)
  if (ready) return { prefix, manifest: ready, installed: false }

  const hosts = join(root, 'hosts')
  await mkdir(hosts, { recursive: true })
  await removeAbandoned(hosts)
  const temporary = await dir({ tmpdir: hosts, prefix: '.installing', unsafeCleanup: true })
  try {
    await npmInstall(definition, temporary.path, root)
    await layEntryPoints(definition, temporary.path)
    const manifest = await describe(name, definition, temporary.path)
    await writeJson(join(temporary.path, 'manifest.json'), manifest)
    await chmod(temporary.path, 0o755)
    await putInPlace(temporary.path, prefix, () => !options.force && readyManifest(name, definition, prefix) !== null)
    return { prefix, manifest: checkPrefix(name, definition, prefix), installed: true }
  } finally {
    await rm(temporary.path, { recursive: true, force: true })
  }
}

/** Writes the lock file of a definition: the versions that npm chooses today, without where they came from. */
export async function writeLock(definition: HostDefinition, target: string, root = cacheDir()): Promise<void> {
  await mkdir(root, { recursive: true })
  const temporary = await dir({ tmpdir: root, prefix: '.locking', unsafeCleanup: true })
  try {
    await writeJson(join(temporary.path, 'package.json'), packageJson(definition))
    await npm(['install', '--package-lock-only', '--omit-lockfile-registry-resolved'], temporary.path, root)
    await copyFile(join(temporary.path, 'package-lock.json'), `${target}.new`)
    await rename(`${target}.new`, target)
  } finally {
    await rm(temporary.path, { recursive: true, force: true })
  }
}

async function npmInstall(definition: HostDefinition, folder: string, root: string) {
  if (definition.lock) {
    await writeJson(join(folder, 'package.json'), packageJson(definition))
    await copyFile(definition.lock, join(folder, 'package-lock.json'))
    return npm(['ci'], folder, root)
  }
  await writeJson(join(folder, 'package.json'), { private: true })
  return npm(['install', ...definition.packages, `${nodePackage()}@${definition.node}`], folder, root)
}

async function npm(args: string[], cwd: string, root: string) {
  const flags = [...NPM_FLAGS, '--prefix', cwd, '--cache', join(root, 'npm')]
  const result = await execa('npm', [...args, ...flags], { cwd, all: true, reject: false, timeout: INSTALL_TIMEOUT_MS })
  if (!result.failed) return
  const why = result.timedOut ? `no end after ${INSTALL_TIMEOUT_MS / 1000} s` : result.all || result.shortMessage
  throw new Error(`npm ${args.join(' ')} failed:\n${why}`)
}

function packageJson(definition: HostDefinition) {
  const dependencies = Object.fromEntries(
    definition.packages.map((spec) => {
      const name = packageName(spec)
      if (name === null) throw new Error(`a host with a lock takes registry packages only, not ${spec}`)
      return [name, spec.slice(name.length + 1)]
    }),
  )
  const optionalDependencies = Object.fromEntries(NODE_PLATFORMS.map((it) => [`node-${it}`, definition.node]))
  return { name: 'rw30-host', private: true, dependencies, optionalDependencies }
}

function nodePackage() {
  const platform = `${process.platform}-${process.arch}`
  if (!NODE_PLATFORMS.includes(platform)) {
    throw new Error(`hosts run on ${NODE_PLATFORMS.join(' and ')}, this machine is ${platform}`)
  }
  return `node-${platform}`
}

/** Gives every prefix the same two entry points, and leaves out what only a compiler of addons needs. */
async function layEntryPoints(definition: HostDefinition, folder: string) {
  const node = join('node_modules', nodePackage())
  await mkdir(join(folder, 'bin'))
  await symlink(join('..', node, 'bin', 'node'), join(folder, 'bin', 'node'))
  await symlink(join('..', definition.cli), join(folder, 'bin', 'cli'))
  await rm(join(folder, node, 'include'), { recursive: true, force: true })
  await rm(join(folder, node, 'share'), { recursive: true, force: true })
}

async function describe(name: string, definition: HostDefinition, folder: string): Promise<HostManifest> {
  const cli = await stat(join(folder, 'bin', 'cli')).catch(() => {
    throw new Error(`host ${name}: its packages have no ${definition.cli}`)
  })
  const { stdout: node } = await execa(join(folder, 'bin', 'node'), ['--version'], { timeout: 30_000 })
  if (node !== `v${definition.node}`) throw new Error(`host ${name}: its Node is ${node}, not v${definition.node}`)
  const tree = await installedTree(folder)
  const names = definition.packages.map((spec) => packageName(spec) ?? nameOfTarball(spec, tree))
  return {
    schema: 'rw30.host/v1',
    name,
    digest: definitionDigest(definition),
    packages: Object.fromEntries(names.map((it) => [it, installedVersion(folder, it) ?? fail(`${it} is missing`)])),
    node: definition.node,
    tree_digest: sha256(tree.map((it) => `${it.path} ${it.version} ${it.integrity ?? '-'}\n`).join('')),
    tree_packages: tree.length,
    node_bytes: (await stat(join(folder, 'bin', 'node'))).size,
    cli_bytes: cli.size,
    installed_at: new Date().toISOString(),
  }
}

const HiddenLockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
    }),
  ),
})
type InstalledPackage = {
  path: string
  version?: string | undefined
  resolved?: string | undefined
  integrity?: string | undefined
}

async function installedTree(folder: string): Promise<InstalledPackage[]> {
  const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8')
  const { packages } = HiddenLockSchema.parse(JSON.parse(text))
  return Object.entries(packages)
    .map(([path, entry]) => ({ path, ...entry }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function nameOfTarball(spec: string, tree: InstalledPackage[]): string {
  const file = spec.slice(spec.lastIndexOf('/') + 1)
  const entry = tree.find((it) => it.resolved?.startsWith('file:') && it.resolved.endsWith(`/${file}`))
  return entry?.path.replace(/^node_modules\//, '') ?? fail(`npm did not install ${spec}`)
}

/** Renames `from` to `to`; what is there and not wanted goes first. `keep` tells whether another installer was faster. */
async function putInPlace(from: string, to: string, keep: () => boolean) {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (keep()) return
    const old = `${from}.old-${attempt}`
    await rename(to, old).catch(ignore('ENOENT'))
    const taken = await rename(from, to).then(() => false, ignore('ENOTEMPTY', 'EEXIST'))
    await rm(old, { recursive: true, force: true })
    if (taken === false) return
  }
  throw new Error(`${to} is replaced again and again by other installations`)
}

function readyManifest(name: string, definition: HostDefinition, prefix: string): HostManifest | null {
  try {
    return checkPrefix(name, definition, prefix)
  } catch (error) {
    if (error instanceof HostNotReady) return null
    throw error
  }
}

async function removeAbandoned(hosts: string) {
  for (const entry of await readdir(hosts)) {
    if (!entry.startsWith('.installing')) continue
    const made = (await lstat(join(hosts, entry)).catch(() => null))?.mtimeMs ?? Date.now()
    if (Date.now() - made > ABANDONED_AFTER_MS) await rm(join(hosts, entry), { recursive: true, force: true })
  }
}

function ignore(...codes: string[]) {
  return (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}

function fail(message: string): never {
  throw new Error(message)
}
