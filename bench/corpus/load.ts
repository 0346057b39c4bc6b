import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { filesDigest } from '../digest.ts'
import { FIXTURES_GEN, TASKS_DIR } from '../paths.ts'
import { type Scenario, ScenarioSchema, type Task } from './scenario.ts'

/** tasks.json: the folders that belong to the corpus, in order. */
export const TaskIndexSchema = z.strictObject({
  schema: z.literal('rw30.tasks/v1'),
  tasks: z.array(z.string().regex(/^\d\d-[a-z0-9-]+$/, 'must be NN-slug')),
})

/** What the specification fixes for a task: its row of the coverage matrix and the words of its follow-up messages. */
export interface CatalogEntry {
  id: number
  slug: string
  title: string
  pressure: Scenario['pressure']
  follow_ups: string[]
}

export const CATALOG: readonly CatalogEntry[] = JSON.parse(
  readFileSync(new URL('./catalog.json', import.meta.url), 'utf8'),
)

export const folderOf = (entry: { id: number; slug: string }): string =>
  `${String(entry.id).padStart(2, '0')}-${entry.slug}`

/** Reads JSON; the error names the file. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Reads one task folder. Throws an error that lists everything wrong with its scenario.json. */
export function loadTask(dir: string): Task {
  const file = join(dir, 'scenario.json')
  const parsed = ScenarioSchema.safeParse(readJson(file))
  if (!parsed.success) throw new Error(`${file}:\n${z.prettifyError(parsed.error)}`)
  return { name: dir.split('/').at(-1)!, dir, scenario: parsed.data }
}

/** Names of the task folders that tasks.json lists, in its order. */
export function taskNames(tasksDir: string = TASKS_DIR): string[] {
  const file = join(tasksDir, 'tasks.json')
  const parsed = TaskIndexSchema.safeParse(readJson(file))
  if (!parsed.success) throw new Error(`${file}:\n${z.prettifyError(parsed.error)}`)
  return parsed.data.tasks
}

/** SHA-256 over everything that decides what a task is and how it is judged; independent of the machine. */
export function corpusDigest(tasks: readonly string[], tasksDir: string = TASKS_DIR): string {
  const roots = [join(FIXTURES_GEN, 'benchlib'), ...tasks.map((task) => join(tasksDir, task))]
  return filesDigest(roots, tasksDir)
}
