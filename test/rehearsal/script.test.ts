import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callId, type Place, placeOf } from '../../bench/rehearsal/place.ts'
import type { Script } from '../../bench/rehearsal/script.ts'
import { loadScript, scriptOf } from '../../bench/rehearsal/script.ts'
import { assistant, result, STAGES, taskFolder, user } from './support.ts'

const script: Script = {
  stages: STAGES.map(({ id, message }) => ({
    id,
    message,
    steps: [{ run: 'a' }, { run: 'b' }, { run: 'c' }, { say: 'd' }],
  })),
}
const [first, second] = STAGES.map(({ message }) => message)
const id = (stage: string, step: number) => callId(stage, step)

test.each<[string, Parameters<typeof placeOf>[1], Place | null, Place]>([
  ['a first message', [user(first)], null, { stage: 0, step: 1 }],
  [
    'content in parts',
    [
      user([
        { type: 'text', text: `<note/>` },
        { type: 'text', text: first },
      ]),
    ],
    null,
    { stage: 0, step: 1 },
  ],
  ['after a result', [user(first), assistant(''), result(id('initial', 1))], null, { stage: 0, step: 2 }],
  [
    'after two results in a row',
    [user(first), result(id('initial', 1)), result(id('initial', 2))],
    null,
    { stage: 0, step: 3 },
  ],
  ['after the last step', [user(first), result(id('initial', 9))], null, { stage: 0, step: 4 }],
  [
    'the next stage',
    [user(first), result(id('initial', 3)), assistant('d'), user(second)],
    null,
    { stage: 1, step: 1 },
  ],
  [
    'within the next stage',
    [user(first), result(id('initial', 3)), user(second), result(id('late-changes', 1))],
    null,
    { stage: 1, step: 2 },
  ],
  ['both messages merged into one', [user(`${first}\n${second}`)], null, { stage: 1, step: 1 }],
  [
    'the next stage after a summary',
    [user('Summary of all that was.'), user(second)],
    { stage: 0, step: 4 },
    { stage: 1, step: 1 },
  ],
  [
    'a summary in the middle of a stage',
    [user('Summary of all that was.')],
    { stage: 1, step: 2 },
    { stage: 1, step: 3 },
  ],
  [
    'a summary, then a kept result',
    [user('Summary.'), result(id('late-changes', 2))],
    { stage: 1, step: 2 },
    { stage: 1, step: 3 },
  ],
  [
    'a summary that quotes the first message',
    [user(`Summary: ${first}`)],
    { stage: 1, step: 2 },
    { stage: 1, step: 3 },
  ],
  ['a stage that is told of again without an answer', [user(first)], { stage: 0, step: 1 }, { stage: 0, step: 1 }],
  ['results that were taken out', [user(first), assistant('[removed]')], { stage: 0, step: 2 }, { stage: 0, step: 3 }],
  ['an unknown message before anything', [user('hello')], null, { stage: 0, step: 1 }],
])('the place in the script: %s', (_, messages, served, place) => {
  expect(placeOf(script, messages, served)).toEqual(place)
})

test('a stage whose message holds another one is still told apart', () => {
  const nested: Script = {
    stages: [
      { id: 'a', message: 'Do it.', steps: [{ say: '' }] },
      { id: 'b', message: 'Again. Do it.', steps: [{ say: '' }] },
    ],
  }
  expect(placeOf(nested, [user('Do it.')], null).stage).toBe(0)
  expect(placeOf(nested, [user('Again. Do it.')], null).stage).toBe(1)
})

test('a script of plain steps answers any message', () => {
  expect(placeOf(scriptOf([{ run: 'sleep 1000' }]), [user('whatever')], null)).toEqual({ stage: 0, step: 1 })
})

test('the reference becomes: look, files in order, commands, a last word', async () => {
  const task = await taskFolder({
    'initial/solution/b.py': 'B\n',
    'initial/solution/a.py': 'A\n',
    'initial/commands': '# make it\npython -m solution.a\npython -m solution.b\n',
    'late-changes/commands': 'python -m solution.a --twice\n',
    'near-misses.json': '[]',
  })
  const [initial, late] = loadScript(task).stages
  expect(initial).toMatchObject({ id: 'initial', message: first })
  expect(initial!.steps.map((step) => ('run' in step ? step.run.split('\n')[0] : step.say))).toEqual([
    'ls -1Ap; head -n 40 TASK.md',
    "mkdir -p solution && cat > solution/a.py <<'END_OF_FILE'",
    "mkdir -p solution && cat > solution/b.py <<'END_OF_FILE'",
    'python -m solution.a',
    'python -m solution.b',
    'The reference of stage initial is in place: 3 files, 2 commands.',
  ])
  expect(late!.steps[0]).toEqual({ run: 'ls -1Ap . */ | head -n 60; head -n 40 inputs/CHANGES.md' })
  expect(late!.steps).toHaveLength(3)
})

test('steps can be given instead of the reference', async () => {
  const task = await taskFolder({ 'initial/solution/a.py': 'A\n' })
  const steps = [{ run: 'sleep 1000' }]
  expect(loadScript(task, { 'late-changes': steps }).stages[1]!.steps).toBe(steps)
})

test('everything that is wrong with a reference is listed at once', async () => {
  const task = await taskFolder({ 'initial/solution/a.py': 'A\n' })
  symlinkSync('/etc/passwd', join(task, 'reference/initial/solution/link.py'))
  const load = () => loadScript(task, { nowhere: [] })
  expect(load).toThrow(/no stage nowhere/)
  expect(load).toThrow(/reference\/initial\/solution\/link.py is neither a file nor a folder/)
  expect(load).toThrow(/reference\/late-changes\/ is missing/)
})
