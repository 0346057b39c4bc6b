/** The statistics of the summary, each with its formula and where it comes from. All are pure and need no randomness. */

/** Two-sided 95 %: the 0.975 quantile of the standard normal distribution. */
export const Z_95 = 1.959963984540054

export type Interval = [low: number, high: number]

export function sum(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}

/** Arithmetic mean, null for no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length
}

/** Middle value, or the mean of the two middle ones; null for no values. */
export function median(values: readonly number[]): number | null {
  if (values.length < 2) return values[0] ?? null
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]!
  return sorted.length % 2 === 1 ? upper : (sorted[sorted.length / 2 - 1]! + upper) / 2
}

/**
 * Wilson score interval of a proportion, 95 % (Wilson 1927; Brown, Cai and DasGupta 2001 recommend it for small n):
 * (p + z²/2n ± z·sqrt(p(1−p)/n + z²/4n²)) / (1 + z²/n). Null for n = 0.
 */
export function wilson(passed: number, of: number): Interval | null {
  if (of === 0) return null
  const p = passed / of
  const z2 = Z_95 ** 2
  const centre = p + z2 / (2 * of)
  const reach = Z_95 * Math.sqrt((p * (1 - p)) / of + z2 / (4 * of * of))
  const scale = 1 + z2 / of
  return [Math.max(0, (centre - reach) / scale), Math.min(1, (centre + reach) / scale)]
}

/** 0.975 quantiles of Student's t for 1 to 30 degrees of freedom (any printed table). */
const T_975 = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314,
  2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
]

/** Two-sided 95 % quantile of Student's t; beyond the table by the expansion of Abramowitz and Stegun, 26.7.5. */
export function studentT(degrees: number): number {
  const tabled = T_975[degrees - 1]
  if (tabled !== undefined) return tabled
  const z = Z_95
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  )
}

/**
 * Geometric mean of positive ratios, the mean that does not depend on which arm is the denominator (Fleming and Wallace 1986),
 * with the 95 % interval of the mean of their logarithms, exp(m ± t(n−1)·s/√n) (Bland and Altman 1996).
 * Chosen over a bootstrap because it keeps its coverage at a handful of tasks. The interval is null for n < 2.
 */
export function geometricMean(ratios: readonly number[]): { mean: number | null; interval: Interval | null } {
  const logs = ratios.map(Math.log)
  const centre = mean(logs)
  if (centre === null) return { mean: null, interval: null }
  if (logs.length < 2) return { mean: Math.exp(centre), interval: null }
  const variance = sum(logs.map((value) => (value - centre) ** 2)) / (logs.length - 1)
  const reach = studentT(logs.length - 1) * Math.sqrt(variance / logs.length)
  return { mean: Math.exp(centre), interval: [Math.exp(centre - reach), Math.exp(centre + reach)] }
}

/**
 * Exact McNemar test on discordant pairs (McNemar 1947, in its binomial form): two-sided
 * p = min(1, 2·P(X ≤ min(b, c))) with X ~ Binomial(b + c, ½). Null when no pair is discordant.
 */
export function mcnemar(onlyOne: number, onlyOther: number): number | null {
  const n = onlyOne + onlyOther
  if (n === 0) return null
  let term = 0.5 ** n
  let tail = term
  for (let k = 1; k <= Math.min(onlyOne, onlyOther); k += 1) {
    term *= (n - k + 1) / k
    tail += term
  }
  return Math.min(1, 2 * tail)
}
