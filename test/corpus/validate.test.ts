import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CATALOG, folderOf, loadTask } from '../../bench/corpus/load.ts'
import { PRESSURE, type Scenario } from '../../bench/corpus/scenario.ts'
import { scenarioProblems, validateCorpus } from '../../bench/corpus/validate.ts'
import { findPython } from '../../bench/jail/python.ts'
import { TASKS_DIR } from '../../bench/paths.ts'

const { path: python } = await findPython()
const expenses = loadTask(join(TASKS_DIR, '01-expense-reconciliation')).scenario
const incident = loadTask(join(TASKS_DIR, '13-incident-timeline')).scenario
const entryOf = (id: number) => CATALOG.find((entry) => entry.id === id)!

test('the corpus has no error', () => {
  expect(validateCorpus(python).errors).toEqual([])
})

test('the catalogue is the specification: 30 tasks, 8 N, 10 L, 8 M, 4 H', () => {
  expect(CATALOG.map((entry) => entry.id)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  for (const [pressure, rule] of Object.entries(PRESSURE)) {
    const entries = CATALOG.filter((entry) => entry.pressure === pressure)
    expect(entries).toHaveLength(rule.count)
    for (const entry of entries) expect(rule.stages).toContain(entry.follow_ups.length + 1)
  }
})

describe('what a scenario may not say otherwise than the specification', () => {
  const change = (scenario: Scenario, edit: (copy: Scenario) => void): string[] => {
    const copy = structuredClone(scenario)
    edit(copy)
    return scenarioProblems(copy, entryOf(scenario.id))
  }

  test('a correct one has no problem', () => {
    expect(change(expenses, () => {})).toEqual([])
    expect(change(incident, () => {})).toEqual([])
  })

  test.each<[string, (copy: Scenario) => void, RegExp]>([
    ['timeout', (copy) => (copy.timeout_seconds = 601), /timeout_seconds is 601, must be 600/],
    ['class', (copy) => (copy.pressure = 'L'), /pressure is "L", must be "N"/],
    ['slug', (copy) => (copy.slug = 'expenses'), /slug is "expenses"/],
    ['judge', (copy) => copy.judge_command.push('--debug'), /judge_command/],
    ['prompt', (copy) => (copy.stages[0]!.message = 'Please do it'), /must begin with the specification's words/],
    ['inputs', (copy) => copy.editable_paths.push('inputs/x/'), /inputs are never editable/],
    ['nested paths', (copy) => copy.editable_paths.push('solution/deep/'), /already lies in solution\//],
    [
      'compaction',
      (copy) => (copy.stages[0]!.compact_after = true),
      /stages with compact_after is \[1\], must be \[\]/,
    ],
    ['inject', (copy) => (copy.stages[0]!.inject = 'other/'), /stages\[0\]\.inject/],
  ])('%s', (_name, edit, problem) => {
    expect(change(expenses, edit).join('\n')).toMatch(problem)
  })

  test('a follow-up in other words, a stage too few, the wrong place of a compaction', () => {
    expect(change(incident, (copy) => (copy.stages[1]!.message = `Well. ${copy.stages[1]!.message}`)).join()).toMatch(
      /stages\[1\]\.message must begin/,
    )
    expect(change(incident, (copy) => copy.stages.pop()).join()).toMatch(/number of stages is 3, must be 4/)
    expect(change(incident, (copy) => (copy.stages[1]!.compact_after = true)).join()).toMatch(
      /is \[1,2,3\], must be \[1,3\]/,
    )
  })
})

describe('a corpus with mistakes', () => {
  let tasks: string
  let cleanup: () => Promise<void>
  beforeEach(async () => {
    const made = await dir({ unsafeCleanup: true, prefix: 'rw30-corpus-' })
    tasks = made.path
    cleanup = made.cleanup
    cpSync(join(TASKS_DIR, '01-expense-reconciliation'), join(tasks, '01-expense-reconciliation'), { recursive: true })
    index(['01-expense-reconciliation'])
  })
  afterEach(() => cleanup())
  const index = (names: string[]) =>
    writeFileSync(join(tasks, 'tasks.json'), JSON.stringify({ schema: 'rw30.tasks/v1', tasks: names }))
  const file = (path: string) => join(tasks, '01-expense-reconciliation', path)

  test('is complete as far as it goes: missing tasks are named and are no error', () => {
    const result = validateCorpus(python, tasks)
    expect(result.errors).toEqual([])
    expect(result.missing).toHaveLength(29)
    expect(result.missing).toContain(folderOf(entryOf(30)))
    expect(result.classes).toEqual({ N: 1, L: 0, M: 0, H: 0 })
  })

  test('every error of every task is in one list', () => {
    const scenario = JSON.parse(readFileSync(file('scenario.json'), 'utf8'))
    writeFileSync(file('scenario.json'), JSON.stringify({ ...scenario, timeout_seconds: 5, id: 2 }))
    writeFileSync(file('seed.py'), `import numpy\n${readFileSync(file('seed.py'), 'utf8')}`)
    writeFileSync(file('reference/initial/extra.py'), 'def f():\n    import requests\n')
    mkdirSync(join(tasks, '02-calendar-merge'))
    mkdirSync(join(tasks, '99-other'))
    index(['01-expense-reconciliation', '02-calendar-merge', '98-none'])
    const text = validateCorpus(python, tasks).errors.join('\n')
    for (const part of [
      'timeout_seconds is 5',
      'id is 2, must be 1',
      'seed.py:1: imports numpy',
      'reference/initial/extra.py:2: imports requests',
      '99-other: not listed',
      '98-none is no task of the specification',
      '02-calendar-merge/TASK.md: missing',
    ])
      expect(text).toContain(part)
  })

  test('an unknown key of scenario.json and broken JSON name the file', () => {
    const scenario = JSON.parse(readFileSync(file('scenario.json'), 'utf8'))
    writeFileSync(file('scenario.json'), JSON.stringify({ ...scenario, colour: 'red' }))
    expect(validateCorpus(python, tasks).errors.join()).toMatch(/scenario\.json:.*colour/s)
    writeFileSync(file('scenario.json'), '{')
    expect(validateCorpus(python, tasks).errors.join()).toMatch(/01-expense-reconciliation\/scenario\.json: /)
  })
})
