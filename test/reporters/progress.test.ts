import { expect, test } from 'vitest'
import { Progress } from '../../reporters/progress.ts'

const TEST = { id: '1', fullName: '13-incident-timeline vanilla' }
const OTHER = { id: '2', fullName: '13-incident-timeline current' }

function makeProgress() {
  const lines: string[] = []
  const clock = { now: 0 }
  const progress = new Progress(
    (line) => lines.push(line),
    10_000,
    () => clock.now,
  )
  return { progress, lines, clock }
}

test('a line names the task and arm', () => {
  const { progress, lines } = makeProgress()
  progress.note(TEST, 'stage 2/4 clock-offsets · 85 s of 1800 s · 14 calls · $0.0312')
  expect(lines).toEqual(['13-incident-timeline vanilla: stage 2/4 clock-offsets · 85 s of 1800 s · 14 calls · $0.0312'])
})

test('within the interval only a new stage is printed, and what has not changed never', () => {
  const { progress, lines, clock } = makeProgress()
  progress.note(TEST, 'stage 1/4 initial · 1 s')
  clock.now = 5_000
  progress.note(TEST, 'stage 1/4 initial · 5 s')
  progress.note(TEST, 'stage 2/4 late · 5 s')
  clock.now = 60_000
  progress.note(TEST, 'stage 2/4 late · 5 s')
  progress.note(TEST, 'stage 2/4 late · 60 s')
  expect(lines.map((line) => line.split(': ')[1])).toEqual([
    'stage 1/4 initial · 1 s',
    'stage 2/4 late · 5 s',
    'stage 2/4 late · 60 s',
  ])
})

test('the arms of a pair do not silence each other', () => {
  const { progress, lines } = makeProgress()
  progress.note(TEST, 'stage 1/4 initial · 1 s')
  progress.note(OTHER, 'stage 1/4 initial · 1 s')
  expect(lines).toHaveLength(2)
})

test('an agent cannot drive the terminal through it', () => {
  const { progress, lines } = makeProgress()
  progress.note(TEST, 'stage 1/4 \u001b[2Jx\r\ny')
  expect(lines[0]).toBe('13-incident-timeline vanilla: stage 1/4 x y')
})
