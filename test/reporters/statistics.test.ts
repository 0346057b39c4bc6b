import { expect, test } from 'vitest'
import { geometricMean, mcnemar, mean, median, studentT, wilson } from '../../reporters/statistics.ts'

test('mean and median of nothing are unknown, not 0', () => {
  expect([mean([]), median([])]).toEqual([null, null])
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 2, 9, 1])).toBe(5.5)
})

test.each([
  // Newcombe 1998, table I, and by hand.
  { passed: 81, of: 263, low: 0.2553, high: 0.3662 },
  { passed: 15, of: 148, low: 0.0624, high: 0.1605 },
  { passed: 0, of: 20, low: 0, high: 0.1611 },
  { passed: 1, of: 29, low: 0.0061, high: 0.1718 },
  { passed: 30, of: 30, low: 0.8865, high: 1 },
])('Wilson interval of $passed of $of', ({ passed, of, low, high }) => {
  const interval = wilson(passed, of)!
  expect(interval[0]).toBeCloseTo(low, 4)
  expect(interval[1]).toBeCloseTo(high, 4)
})

test('there is no Wilson interval without attempts', () => {
  expect(wilson(0, 0)).toBeNull()
})

test.each([
  [1, 12.7062],
  [29, 2.0452],
  [40, 2.0211],
  [120, 1.9799],
])('t quantile for %i degrees of freedom', (degrees, value) => {
  expect(studentT(degrees)).toBeCloseTo(value, 4)
})

test('geometric mean of a half and a double is 1, with the wide interval that two pairs deserve', () => {
  const { mean: centre, interval } = geometricMean([0.5, 2])
  expect(centre).toBeCloseTo(1, 12)
  // Logarithms -ln 2 and ln 2: s = ln 2 * sqrt 2, s / sqrt n = ln 2, t(1) = 12.7062.
  expect(interval![0]).toBeCloseTo(Math.exp(-12.7062 * Math.LN2), 12)
  expect(interval![1]).toBeCloseTo(Math.exp(12.7062 * Math.LN2), 6)
})

test('one ratio has a mean and no interval, none has neither', () => {
  expect(geometricMean([0.8]).mean).toBeCloseTo(0.8, 12)
  expect(geometricMean([0.8]).interval).toBeNull()
  expect(geometricMean([])).toEqual({ mean: null, interval: null })
})

test.each([
  { one: 1, other: 6, p: 16 / 128 },
  { one: 0, other: 6, p: 2 / 64 },
  { one: 6, other: 0, p: 2 / 64 },
  { one: 2, other: 2, p: 1 },
  { one: 0, other: 0, p: null },
])('exact McNemar of $one against $other', ({ one, other, p }) => {
  expect(mcnemar(one, other)).toEqual(p === null ? null : expect.closeTo(p, 12))
})
