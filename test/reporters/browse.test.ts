import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { dir as temporaryDir } from 'tmp-promise'
import { expect, onTestFinished, test } from 'vitest'
import { storedTasks } from '../../reporters/browse/runs.ts'

async function makeResults(...folders: string[]): Promise<string> {
  const { path, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  for (const folder of folders) mkdirSync(join(path, folder), { recursive: true })
  return path
}

test('finds the tasks of a run', async () => {
  const results = await makeResults('run-a/02-calendar-merge', 'run-a/01-expense-reconciliation', 'run-a/notes')
  expect(storedTasks(results, 'run-a')).toEqual({
    id: 'run-a',
    dir: join(results, 'run-a'),
    tasks: ['01-expense-reconciliation', '02-calendar-merge'],
  })
})

test.each(['no-such-run', 'empty-run', '../run-a', undefined])(
  '%s is refused, and the known runs are named',
  async (id) => {
    const results = await makeResults('run-a/01-expense-reconciliation', 'run-b/02-calendar-merge', 'empty-run')
    expect(() => storedTasks(results, id)).toThrow(/Known: run-a, run-b$/)
  },
)

test('says when there are no runs at all', () => {
  expect(() => storedTasks('/nonexistent', 'run-a')).toThrow('There are none in /nonexistent.')
})
