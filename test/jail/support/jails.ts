import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { dir } from 'tmp-promise'
import { onTestFinished } from 'vitest'
import { type Jail, type JailSpec, jailLayout, openJail } from '../../../bench/jail/jail.ts'
import { findPython, ISOLATED } from '../../../bench/jail/python.ts'
import { FIXTURES_GEN } from '../../../bench/paths.ts'

/** A temporary folder that goes with the test. */
export async function folder(): Promise<string> {
  const made = await dir({ prefix: 'rw30-jail-', unsafeCleanup: true })
  onTestFinished(() => made.cleanup())
  return made.path
}

/** A workspace with `inputs/data.txt` and an editable `solution/`, and a home with a secret: a spec that lacks a command. */
export async function bareSpec(): Promise<Omit<JailSpec, 'argv'>> {
  const root = await folder()
  const workspace = path.join(root, 'workspace')
  const home = path.join(root, 'home')
  await mkdir(path.join(workspace, 'inputs'), { recursive: true })
  await mkdir(path.join(workspace, 'solution'))
  await mkdir(home)
  await writeFile(path.join(workspace, 'inputs/data.txt'), 'given\n')
  await writeFile(path.join(home, 'token'), 'secret of the agent\n')
  return {
    workspace,
    editable: ['solution/'],
    home,
    hostPrefix: null,
    mounts: {},
    gatewaySocket: null,
    services: [],
    env: { MODEL_TOKEN: 'secret of the agent' },
  }
}

/** Opens a jail that is closed with the test. */
export async function open(argv: string[], spec: Partial<JailSpec> = {}): Promise<Jail> {
  const jail = await openJail({ ...(await bareSpec()), ...spec, argv })
  onTestFinished(async () => {
    await jail.close()
  })
  return jail
}

/** Runs a command as the agent host would run, to its end. */
export async function asAgent(argv: string[], spec: Partial<JailSpec> = {}) {
  const jail = await open(argv, spec)
  const [stdout, stderr, exit, end] = await Promise.all([
    text(jail.process.stdout),
    text(jail.stderr),
    jail.process.exited,
    jail.ended,
  ])
  return { stdout, stderr, exit, end, jail }
}

/** Runs a command in the restricted shell, as the agent's shell tool would. */
export async function inShell(command: string, spec: Partial<JailSpec> = {}) {
  const { paths } = await jailLayout()
  return asAgent([paths.shell, '-c', command], spec)
}

/** Runs Python of the machine with benchlib importable; resolves with the JSON that it prints. */
export async function withBenchlib(program: string, env: Record<string, string> = {}): Promise<unknown> {
  const python = await findPython()
  const preamble = `import sys; sys.path.insert(0, ${JSON.stringify(FIXTURES_GEN)})\n`
  const { stdout } = await execa(python.path, [...ISOLATED, '-c', preamble + program], { env })
  return JSON.parse(stdout)
}
