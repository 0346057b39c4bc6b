import path from 'node:path'
import { execa } from 'execa'
import { z } from 'zod'
import { FIXTURES_GEN } from '../paths.ts'
import type { JailPaths } from './inside.ts'
import { findPython, ISOLATED } from './python.ts'

/** The sandbox cannot be used or has failed by itself; the message says why and what to do. */
export class JailUnavailable extends Error {
  override name = 'JailUnavailable'
}

const DEFINITION = path.join(FIXTURES_GEN, 'benchlib/jail.py')
const BUILD_MS = 180_000

const argumentList = z.array(z.string())

/** What `benchlib/jail.py describe` says: the one definition of the jail, as argument lists and paths. */
const DefinitionSchema = z.object({
  image: z.string(),
  bwrap: z.string(),
  python: z.string(),
  outer: argumentList,
  closing: argumentList,
  agent_view: argumentList,
  candidate_view: argumentList,
  service_view: argumentList,
  service_python: z.string(),
  stream_setup: z.string(),
  shell_source: z.string(),
  environment: z.record(z.string(), z.string()),
  gateway_port: z.int(),
  paths: z.object({
    workspace: z.string(),
    home: z.string(),
    host: z.string(),
    extras: z.string(),
    shell: z.string(),
    services: z.string(),
    gateway_socket: z.string(),
  }),
  limits: z.object({
    seconds: z.number(),
    address_space_bytes: z.int(),
    resident_bytes: z.int(),
    processes: z.int(),
    file_bytes: z.int(),
    output_bytes: z.int(),
    tmp_bytes: z.int(),
  }),
})
export type JailDefinition = z.infer<typeof DefinitionSchema>

const known = new Map<string, Promise<JailDefinition>>()

/** The jail's definition, with its image built when it was missing. Rejects with JailUnavailable or PythonNotFound. */
export function jailDefinition(tmpBytes?: number): Promise<JailDefinition> {
  const key = JSON.stringify([process.env.RW30_CACHE, process.env.RW30_PYTHON, process.env.PATH, tmpBytes])
  const answered = known.get(key)
  if (answered !== undefined) return answered
  const asked = ask(['describe', ...(tmpBytes === undefined ? [] : [String(tmpBytes)])]).then((output) =>
    DefinitionSchema.parse(JSON.parse(output)),
  )
  known.set(key, asked)
  asked.catch(() => known.delete(key))
  return asked
}

/** Where things lie in every jail, for whoever plans what will run in one. */
export interface JailLayout {
  paths: JailPaths
  /** Base URL of the gateway inside, without a path. */
  gatewayUrl: string
  /** Where a service finds one of its mounts. */
  servicePath(service: string, mount: string): string
}

export async function jailLayout(): Promise<JailLayout> {
  const { paths, gateway_port } = await jailDefinition()
  const { workspace, home, host, shell, extras } = paths
  return {
    paths: { workspace, home, host, shell, extras },
    gatewayUrl: `http://127.0.0.1:${gateway_port}`,
    servicePath: (service, mount) => path.posix.join(paths.services, service, mount),
  }
}

/** Opens a jail and runs Python in it, for a set-up check. Resolves with a line about it, rejects with JailUnavailable. */
export async function checkJail(python?: string): Promise<string> {
  return (await ask(['check'], '', python)).trim()
}

/** What bwrap said, and what to do about it. */
export async function explainFailure(said: string): Promise<string> {
  return (await ask(['explain'], said)).trim()
}

async function ask(args: string[], input = '', python?: string): Promise<string> {
  const run = await execa(python ?? (await findPython()).path, [...ISOLATED, DEFINITION, ...args], {
    input,
    reject: false,
    timeout: BUILD_MS,
  })
  if (run.failed) throw new JailUnavailable(run.stderr.trim() || run.shortMessage || `${DEFINITION} failed`)
  return run.stdout
}
