import { plain, UNKNOWN } from '../bench/attempt/annotations.ts'

export { amount, counted, coverage, dollars, duration, plain, UNKNOWN } from '../bench/attempt/annotations.ts'

export function fixed(value: number | null, places = 2): string {
  return value === null ? UNKNOWN : value.toFixed(places)
}

export function percent(value: number | null): string {
  return value === null ? UNKNOWN : `${(value * 100).toFixed(0)} %`
}

/** A ratio, to about three digits; beyond what anyone reads, only on which side. */
export function factor(value: number | null): string {
  if (value === null) return UNKNOWN
  if (value < 0.005) return '<0.01'
  if (value >= 999.5) return '>999'
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)
}

/** `0.87 [0.79, 0.96]`, without brackets where there is no interval. */
export function withInterval(value: number | null, interval: readonly [number, number] | null): string {
  return interval ? `${factor(value)} [${factor(interval[0])}, ${factor(interval[1])}]` : factor(value)
}

/** `27/30 (90 %, 74–97)`. */
export function rate(strict: {
  passed: number
  of: number
  rate: number | null
  interval: [number, number] | null
}): string {
  const count = `${strict.passed}/${strict.of}`
  if (!strict.interval) return count
  const [low, high] = strict.interval.map((value) => (value * 100).toFixed(0))
  return `${count} (${percent(strict.rate)}, ${low}–${high})`
}

/** `plain`, with everything that markdown or HTML would act on made literal: markup, tables, links and mentions. */
export function escapeMarkdown(text: string, maxCharacters?: number): string {
  return plain(text, maxCharacters)
    .replaceAll(/[\\`*_[\]|~$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replaceAll(/:(?=\/\/)/g, '&#58;')
    .replaceAll(/\bwww\./gi, (match) => `${match.slice(0, 3)}&#46;`)
    .replace(/^[#+=-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
}
