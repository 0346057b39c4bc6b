import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import { filesBelow } from '../digest.ts'
import { ISOLATED } from '../jail/python.ts'
import { FIXTURES_GEN, TASKS_DIR } from '../paths.ts'
import { CATALOG, type CatalogEntry, folderOf, loadTask, taskNames } from './load.ts'
import { PRESSURE, type Pressure, type Scenario } from './scenario.ts'

const INITIAL_PROMPT = 'Read TASK.md and complete the requested workflow using only the Python standard library.'
const JUDGE_COMMAND = ['python', 'judge.py', '--workspace', '{workspace}']
const FILES_OF_A_TASK = ['TASK.md', 'scenario.json', 'seed.py', 'judge.py', 'reference/near-misses.json']

export interface Validation {
  /** Every problem of the whole corpus, each with the file it is in. */
  errors: string[]
  /** Folders that tasks.json lists and that exist. */
  present: string[]
  /** Folders of the specification that are not there yet. */
  missing: string[]
  /** Tasks present, by class. */
  classes: Record<Pressure, number>
}

/**
 * Checks the corpus against sections 3, 4 and 8 of the specification and lists every error at once.
 * A task that does not exist yet is missing, not wrong.
 */
export function validateCorpus(python: string, tasksDir: string = TASKS_DIR): Validation {
  const errors: string[] = []
  const listed = attempt(errors, () => taskNames(tasksDir)) ?? []
  const folders = readdirSync(tasksDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
  const known = new Map(CATALOG.map((entry) => [folderOf(entry), entry]))
  const classes = { N: 0, L: 0, M: 0, H: 0 }

  for (const name of folders.filter((folder) => !listed.includes(folder)))
    errors.push(`tasks/${name}: not listed in tasks.json`)
  if (listed.join() !== [...new Set(listed)].sort().join())
    errors.push('tasks/tasks.json: must be sorted, without doubles')

  for (const name of listed) {
    const entry = known.get(name)
    if (!entry) errors.push(`tasks/tasks.json: ${name} is no task of the specification`)
    else if (!folders.includes(name)) errors.push(`tasks/tasks.json: ${name} has no folder`)
    else {
      const task = attempt(errors, () => loadTask(join(tasksDir, name)))
      errors.push(...filesMissing(tasksDir, name))
      if (!task) continue
      classes[task.scenario.pressure] += 1
      for (const problem of [
        ...scenarioProblems(task.scenario, entry),
        ...stageFolderProblems(task.dir, task.scenario),
        ...taskDocumentProblems(task.dir, task.scenario),
      ])
        errors.push(`tasks/${name}/${problem}`)
    }
  }
  for (const [pressure, rule] of Object.entries(PRESSURE))
    if (classes[pressure as Pressure] > rule.count)
      errors.push(
        `tasks: ${classes[pressure as Pressure]} tasks of class ${pressure}, the specification has ${rule.count}`,
      )
  const present = listed.filter((name) => folders.includes(name))
  errors.push(...importProblems(python, tasksDir, present))
  return { errors, present, missing: [...known.keys()].filter((name) => !present.includes(name)), classes }
}

/** What a scenario says otherwise than the specification. */
export function scenarioProblems(scenario: Scenario, entry: CatalogEntry): string[] {
  const rule = PRESSURE[entry.pressure]
  const problems: string[] = []
  const expect = (field: string, actual: unknown, wanted: unknown) => {
    if (JSON.stringify(actual) !== JSON.stringify(wanted))
      problems.push(`scenario.json: ${field} is ${JSON.stringify(actual)}, must be ${JSON.stringify(wanted)}`)
  }
  expect('id', scenario.id, entry.id)
  expect('slug', scenario.slug, entry.slug)
  expect('pressure', scenario.pressure, entry.pressure)
  expect('timeout_seconds', scenario.timeout_seconds, rule.timeoutSeconds)
  expect('judge_command', scenario.judge_command, JUDGE_COMMAND)
  expect('initial_prompt', scenario.initial_prompt, INITIAL_PROMPT)
  expect('the number of stages', scenario.stages.length, entry.follow_ups.length + 1)
  const compacted = scenario.stages.flatMap((stage, index) => (stage.compact_after ? [index + 1] : []))
  expect('the stages with compact_after', compacted, rule.compactAfter)
  const ids = scenario.stages.map((stage) => stage.id)
  if (new Set(ids).size < ids.length) problems.push(`scenario.json: stage ids repeat: ${ids.join(', ')}`)
  for (const [index, stage] of scenario.stages.entries()) {
    const words = index === 0 ? INITIAL_PROMPT : entry.follow_ups[index - 1]
    expect(`stages[${index}].inject`, stage.inject, index === 0 ? 'visible/' : `stages/${stage.id}/`)
    if (words !== undefined && !stage.message.startsWith(words))
      problems.push(`scenario.json: stages[${index}].message must begin with the specification's words: ${words}`)
    if (index === 0) expect('stages[0].message', stage.message, INITIAL_PROMPT)
  }
  for (const [index, path] of scenario.editable_paths.entries()) {
    if (path.startsWith('inputs/')) problems.push(`scenario.json: editable_paths[${index}]: inputs are never editable`)
    const outer = scenario.editable_paths.find((other) => other !== path && path.startsWith(other))
    if (outer) problems.push(`scenario.json: editable_paths[${index}]: ${path} already lies in ${outer}`)
  }
  for (const service of scenario.services ?? [])
    if (!service.url_file.startsWith('inputs/'))
      problems.push(`scenario.json: service ${service.id}: url_file must lie in inputs/`)
  return problems
}

function stageFolderProblems(dir: string, scenario: Scenario): string[] {
  const stages = join(dir, 'stages')
  const known = scenario.stages.slice(1).map((stage) => stage.id)
  const there = existsSync(stages) ? readdirSync(stages).filter((name) => !name.startsWith('.')) : []
  const references = scenario.stages.filter((stage) => !existsSync(join(dir, 'reference', stage.id)))
  return [
    ...there.filter((name) => !known.includes(name)).map((name) => `stages/${name}: no stage of scenario.json`),
    ...references.map((stage) => `reference/${stage.id}: the reference of this stage is missing`),
  ]
}

/** TASK.md describes the first stage alone: nothing that a later stage injects may be named in it. */
function taskDocumentProblems(dir: string, scenario: Scenario): string[] {
  const file = join(dir, 'TASK.md')
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  return scenario.stages
    .slice(1)
    .flatMap((stage) => {
      const folder = join(dir, 'stages', stage.id)
      return existsSync(folder) ? filesBelow(folder) : []
    })
    .map((path) => path.split('/').at(-1)!)
    .filter((name) => text.includes(name))
    .map((name) => `TASK.md: names ${name}, which only a later stage brings`)
}

function filesMissing(tasksDir: string, name: string): string[] {
  return FILES_OF_A_TASK.filter((file) => !existsSync(join(tasksDir, name, file))).map(
    (file) => `tasks/${name}/${file}: missing`,
  )
}

/** Only the standard library (and benchlib, for seeds and judges) may be imported; asked of Python itself. */
function importProblems(python: string, tasksDir: string, names: string[]): string[] {
  const result = execaSync(python, [...ISOLATED, join(FIXTURES_GEN, 'imports.py'), tasksDir, ...names], {
    reject: false,
  })
  if (result.exitCode !== 0) return [`fixtures-gen/imports.py failed: ${result.stderr || result.message}`]
  return JSON.parse(result.stdout) as string[]
}

function attempt<T>(errors: string[], action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    errors.push(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
