import { type ChildProcess, spawn } from 'node:child_process'
import { rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Binds, bindArguments } from './binds.ts'
import { explainFailure, type JailDefinition, JailUnavailable, jailDefinition } from './definition.ts'
import type { JailProcess } from './inside.ts'
import { countSurvivors } from './survivors.ts'
import { Warden } from './warden.ts'

export { checkJail, type JailLayout, JailUnavailable, jailLayout } from './definition.ts'

/** A loopback server of the fixture, beside the agent and out of its sight. */
export interface JailService {
  id: string
  /** Prints one line `LISTENING <port>` when it is ready; `python` and the like are found on PATH. */
  argv: readonly string[]
  /** Name -> file or folder of this machine, shown read-only at `JailLayout.servicePath(id, name)`. */
  mounts: Readonly<Record<string, string>>
  /** The mount in which it starts. */
  cwd: string
  /** Input file of the workspace that receives its URL and a newline. */
  urlFile: string
}

/** Bounds of one jail; what is left out is as `benchlib/jail_layout.py` has it. */
export interface JailLimits {
  processes?: number
  /** Of all processes together. */
  residentBytes?: number
  /** Of each file. */
  fileBytes?: number
  tmpBytes?: number
}

/** Everything about one jail, as data. */
export interface JailSpec extends Binds {
  services: readonly JailService[]
  /** The main command: an absolute path inside, or a name on PATH. Its end is the end of the jail. */
  argv: readonly string[]
  /** Added to the jail's own: PATH (the host's programs first), HOME, LANG, TZ. */
  env: Readonly<Record<string, string>>
  /** Where it starts; the workspace by default. */
  cwd?: string
  limits?: JailLimits
  /** Told what services print, as it comes. */
  onServiceOutput?: (service: string, stream: 'stdout' | 'stderr', text: string) => void
}

/** How a jail ended. */
export interface JailEnd {
  /** Name of the bound that ended it; null when the main command or the owner did. */
  by: 'processes' | 'resident_bytes' | null
  detail: string
  /** Exit code of the main command; null when the jail ended before it. */
  exit: number | null
  /** What bwrap or the warden said, when they failed; null when they said nothing. */
  failure: string | null
}

/** A running jail. Its owner closes it on every path. */
export interface Jail {
  /** The main command. */
  readonly process: JailProcess
  /** Standard error of the main command. */
  readonly stderr: Readable
  /** Base URL of the gateway inside; null without a gateway. */
  readonly gatewayUrl: string | null
  /** Ports of the services inside, by id. */
  readonly servicePorts: Readonly<Record<string, number>>
  /** Resolves when nothing runs inside any more; never rejects. */
  readonly ended: Promise<JailEnd>
  /**
   * Ends everything inside: the main command gets SIGTERM, after a grace the namespace is killed. Resolves with the number
   * of processes that are left, which is 0; again: the same answer.
   */
  close(): Promise<{ survivors: number }>
}

/** Bounds on how long steps of a jail's life may take. */
export const JAIL_TIMES = { readyMs: 20_000, serviceReadyMs: 20_000, termGraceMs: 500, vanishMs: 3_000 }

const MAIN = 'main'
const SIGTERM = 15
const PYTHONS = new Set(['python', 'python3', 'python3.12'])
const DIAGNOSTIC_CHARACTERS = 64 * 1024

/**
 * Opens a jail: forwarder to the gateway, then the services, whose URLs are written into the workspace, then the main command.
 * Rejects with JailUnavailable when the jail or a service does not start; nothing is left running then.
 *
 * The kernel ends a jail when the thread that opened it ends, and with it when this process is killed.
 */
export async function openJail(spec: JailSpec): Promise<Jail> {
  const definition = await jailDefinition(spec.limits?.tmpBytes)
  const binds = await bindArguments(spec, definition)
  const opened = new OpenJail(definition, binds)
  try {
    await opened.start(spec)
  } catch (error) {
    await opened.close()
    throw error
  }
  return opened
}

class OpenJail implements Jail {
  readonly process: JailProcess
  readonly stderr: Readable
  readonly servicePorts: Record<string, number> = {}
  readonly ended: Promise<JailEnd>
  gatewayUrl: string | null = null
  readonly #definition: JailDefinition
  readonly #child: ChildProcess
  readonly #warden: Warden
  readonly #gone: Promise<void>
  #said = ''
  #namespace: number | null = null
  #bound: { by: JailEnd['by']; detail: string } = { by: null, detail: '' }
  #exit: number | null = null
  #closing: Promise<{ survivors: number }> | null = null

  constructor(definition: JailDefinition, binds: readonly string[]) {
    this.#definition = definition
    const [bwrap, ...outer] = definition.outer
    // 2: what bwrap and the warden have to say, 3: the control stream, 4 to 6: the main command's standard streams.
    this.#child = spawn(bwrap!, [...outer, ...binds, ...definition.closing, '3', '4', '5', '6'], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin' },
    })
    const [, , said, control, stdin, stdout, stderr] = this.#child.stdio as unknown as Duplex[]
    for (const stream of [stdin, stdout, stderr]) stream!.on('error', () => {})
    said!.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said = (this.#said + chunk).slice(-DIAGNOSTIC_CHARACTERS)
    })
    this.#gone = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#said += `bwrap: ${error.message}`
        resolve()
      })
      this.#child.once('exit', () => resolve())
    })
    this.#warden = new Warden(control!)
    this.#warden.listen((event) => {
      if (event?.event === 'ready') this.#namespace = event.pid_namespace
      else if (event?.event === 'end') this.#bound = { by: event.by, detail: event.detail }
      else if (event?.event === 'exit' && event.id === MAIN) this.#exit = event.code
      else if (event?.event === 'failed') {
        this.#said += `warden: ${event.id}: ${event.error}\n`
        this.#warden.end()
      }
    })
    const over = this.#warden.first<null>(() => undefined).then(() => this.#gone)
    this.ended = over.then(() => ({ ...this.#bound, exit: this.#exit, failure: this.#said.trim() || null }))
    const exited = this.#warden.first((event) => (event.event === 'exit' && event.id === MAIN ? event.code : undefined))
    this.stderr = stderr as Readable
    this.process = {
      stdin: stdin as Writable,
      stdout: stdout as Readable,
      exited: exited.then((code) => (code === null ? { code: null, signal: 'SIGKILL' } : { code, signal: null })),
    }
  }

  async start(spec: JailSpec): Promise<void> {
    const { limits, paths, environment, gateway_port } = this.#definition
    const ready = await this.#within(JAIL_TIMES.readyMs, 'the jail did not start', () =>
      this.#warden.first((event) => (event.event === 'ready' ? true : undefined)),
    )
    if (ready === null) throw await this.#unavailable('the jail did not start')
    this.#warden.ask({
      do: 'limit',
      processes: spec.limits?.processes ?? limits.processes,
      resident_bytes: spec.limits?.residentBytes ?? limits.resident_bytes,
      file_bytes: spec.limits?.fileBytes ?? limits.file_bytes,
      address_space_bytes: null, // Node reserves far more than it uses; the restricted shell sets its own.
    })
    if (spec.gatewaySocket !== null) {
      this.#warden.ask({ do: 'forward', id: 'gateway', port: gateway_port, socket: paths.gateway_socket })
      this.gatewayUrl = `http://127.0.0.1:${gateway_port}`
    }
    for (const service of spec.services) await this.#serve(service, spec)
    const view = this.#definition.agent_view
    const env = {
      ...environment,
      PATH: `${paths.host}/bin:${paths.host}/node_modules/.bin:${environment.PATH}`,
      HOME: paths.home,
      ...spec.env,
    }
    const argv = [...view, ...this.#program(spec.argv, spec.cwd ?? paths.workspace)]
    this.#warden.ask({ do: 'start', id: MAIN, argv, env, last: true })
  }

  async #serve(service: JailService, spec: JailSpec): Promise<void> {
    const id = `service-${service.id}`
    const { service_view, service_python, paths, environment } = this.#definition
    const view = service_view.map((part) => part.replace('{service}', service.id))
    const cwd = path.posix.join(paths.services, service.id, service.cwd)
    const argv = service.argv.map((word, index) => (index === 0 && PYTHONS.has(word) ? service_python : word))
    let printed = ''
    let errors = ''
    const listening = this.#warden.first((event) => {
      if (event.event === 'exit' && event.id === id) return { port: null, code: event.code }
      if (event.event !== 'output' || event.id !== id) return undefined
      if (event.stream === 'stderr') errors += event.text
      else printed += event.text
      const port = /^LISTENING (\d{1,5})\r?\n/m.exec(printed)?.[1]
      return port === undefined ? undefined : { port: Number(port), code: null }
    })
    this.#warden.listen((event) => {
      if (event?.event === 'output' && event.id === id) spec.onServiceOutput?.(service.id, event.stream, event.text)
    })
    this.#warden.ask({ do: 'serve', id, argv: [...view, ...this.#program(argv, cwd)], env: environment })
    const what = `service ${service.id} did not listen`
    const answer = await this.#within(JAIL_TIMES.serviceReadyMs, what, () => listening)
    if (answer === null) throw await this.#unavailable(what)
    if (answer.port === null) throw new JailUnavailable(`${what}, it exited ${answer.code}: ${errors.slice(-2000)}`)
    this.servicePorts[service.id] = answer.port
    await replaceFile(path.join(spec.workspace, service.urlFile), `http://127.0.0.1:${answer.port}\n`)
  }

  #program(argv: readonly string[], cwd: string): string[] {
    return ['--', '/bin/sh', '-c', this.#definition.stream_setup, cwd, ...argv]
  }

  async #within<T>(ms: number, what: string, action: () => Promise<T>): Promise<T> {
    const timer = new AbortController()
    const late = sleep(ms, undefined, { signal: timer.signal }).then(
      () => Promise.reject(new JailUnavailable(`${what} within ${ms / 1000} s. ${this.#said}`)),
      () => new Promise<never>(() => {}),
    )
    try {
      return await Promise.race([action(), late])
    } finally {
      timer.abort()
    }
  }

  async #unavailable(what: string): Promise<JailUnavailable> {
    await this.ended
    return new JailUnavailable(`${what}. ${await explainFailure(this.#said)}`)
  }

  close(): Promise<{ survivors: number }> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<{ survivors: number }> {
    if (this.#exit === null) {
      this.#warden.ask({ do: 'signal', id: MAIN, signal: SIGTERM })
      await Promise.race([this.#gone, sleep(JAIL_TIMES.termGraceMs)])
    }
    this.#warden.end()
    await Promise.race([this.#gone, sleep(JAIL_TIMES.vanishMs)])
    this.#child.kill('SIGKILL')
    await this.#gone
    const survivors = this.#namespace === null ? 0 : await countSurvivors(this.#namespace, JAIL_TIMES.vanishMs)
    return { survivors }
  }
}

/** Another file takes the place: a hard link elsewhere, the fixture cache's, keeps its content. */
async function replaceFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o644 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
