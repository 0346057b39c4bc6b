import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { loadTask } from '../corpus/load.ts'
import type { Stage, Task } from '../corpus/scenario.ts'
import { quote, writeCommands } from './write-files.ts'

/** One turn of the model: a command for the agent's shell tool, or the text that ends the stage. */
export type Step = { run: string } | { say: string }

/** What the model does after a stage's message. Steps are numbered from 1. */
export interface StageScript {
  id: string
  message: string
  steps: readonly Step[]
}

export interface Script {
  stages: readonly StageScript[]
}

/** File of a reference stage that holds commands, a line each; it is not written into the workspace. */
export const COMMANDS_FILE = 'commands'

/**
 * The script that plays a task's reference: look, write the files, run the commands, finish. `replacements` gives the steps of a
 * stage directly instead (stage id -> steps). Throws an error that lists everything missing or unusable in `reference/`.
 */
export function loadScript(taskDir: string, replacements: Readonly<Record<string, readonly Step[]>> = {}): Script {
  const task = loadTask(taskDir)
  const problems: string[] = []
  const unknown = Object.keys(replacements).filter((id) => !task.scenario.stages.some((stage) => stage.id === id))
  for (const id of unknown) problems.push(`no stage ${id}: its steps were given, but scenario.json does not have it`)
  const stages = task.scenario.stages.map((stage, index): StageScript => {
    const steps = replacements[stage.id] ?? referenceSteps(task, stage, index, problems)
    return { id: stage.id, message: stage.message, steps }
  })
  if (problems.length > 0)
    throw new Error(
      `the reference of ${task.name} cannot be played:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    )
  return { stages }
}

/** A script of one stage that answers whatever message comes. */
export const scriptOf = (steps: readonly Step[]): Script => ({ stages: [{ id: 'initial', message: '', steps }] })

function referenceSteps(task: Task, stage: Stage, index: number, problems: string[]): Step[] {
  const folder = join(task.dir, 'reference', stage.id)
  if (!existsSync(folder)) {
    problems.push(`reference/${stage.id}/ is missing`)
    return []
  }
  const paths = filesOf(folder, (path) => problems.push(`reference/${stage.id}/${path} is neither a file nor a folder`))
  const writes = paths
    .filter((path) => path !== COMMANDS_FILE)
    .flatMap((path) => {
      const file = join(folder, path)
      return writeCommands(path, readFileSync(file), (lstatSync(file).mode & 0o111) !== 0)
    })
  const commands = paths.includes(COMMANDS_FILE) ? commandLines(readFileSync(join(folder, COMMANDS_FILE), 'utf8')) : []
  return [
    ...[lookCommand(task, stage, index), ...writes, ...commands].map((run) => ({ run })),
    { say: `The reference of stage ${stage.id} is in place: ${paths.length} files, ${commands.length} commands.` },
  ]
}

/** Lines of a commands file; blank ones and comments are left out. */
export const commandLines = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))

/** Shows what the stage is about. Prints no times or owners, so that its output is the same in each run. */
function lookCommand(task: Task, stage: Stage, index: number): string {
  if (index === 0) return 'ls -1Ap; head -n 40 TASK.md'
  const added = join(task.dir, stage.inject)
  const documents = existsSync(added) ? filesOf(added, () => {}).filter((path) => path.endsWith('.md')) : []
  const look = 'ls -1Ap . */ | head -n 60'
  return documents.length === 0 ? look : `${look}; head -n 40 ${documents.map(quote).join(' ')}`
}

/** Relative paths of the regular files below a folder, sorted; anything else but folders goes to `refuse`. */
function filesOf(folder: string, refuse: (path: string) => void): string[] {
  const paths: string[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (entry.isDirectory() || /(?:^|\/)__pycache__\//.test(path)) continue
    if (entry.isFile()) paths.push(path)
    else refuse(path)
  }
  return paths.sort()
}
