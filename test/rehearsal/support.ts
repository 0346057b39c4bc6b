import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dir } from 'tmp-promise'
import { onTestFinished } from 'vitest'
import type { Message } from '../../bench/rehearsal/chat.ts'

/** A folder that is gone after the test. */
export async function folder(): Promise<string> {
  const made = await dir({ unsafeCleanup: true })
  onTestFinished(() => made.cleanup())
  return made.path
}

export function writeTree(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export const STAGES = [
  { id: 'initial', message: 'Read TASK.md and do it.' },
  { id: 'late-changes', message: 'New files came. Read inputs/CHANGES.md.' },
]

/** A task folder of two stages with a reference. */
export async function taskFolder(reference: Record<string, string | Buffer>): Promise<string> {
  const task = join(await folder(), '02-two-stages')
  writeTree(task, {
    'scenario.json': JSON.stringify({
      schema: 'prime-context.python-realworld-task/v1',
      id: 2,
      slug: 'two-stages',
      title: 'Two stages',
      pressure: 'L',
      timeout_seconds: 900,
      editable_paths: ['solution/', 'output/'],
      initial_prompt: STAGES[0]!.message,
      stages: [
        { ...STAGES[0], inject: 'visible/', compact_after: false },
        { ...STAGES[1], inject: 'stages/late-changes/', compact_after: false },
      ],
      judge_command: ['python', 'judge.py', '--workspace', '{workspace}'],
    }),
    'stages/late-changes/inputs/CHANGES.md': 'Now count twice.\n',
  })
  writeTree(join(task, 'reference'), reference)
  return task
}

export const user = (content: unknown): Message => ({ role: 'user', content })
export const assistant = (content: string): Message => ({ role: 'assistant', content })
export const result = (id: string, content = 'ok'): Message => ({ role: 'tool', tool_call_id: id, content })
