import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Tokens } from './call.ts'

const dollars = z.number().nonnegative()

/** What one model of one provider costs, since when, and who says so. */
export const PriceSchema = z.strictObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  /** US dollars for a million tokens of each kind. */
  usd_per_million: z.strictObject({
    fresh_input: dollars,
    cache_read: dollars,
    cache_write: dollars,
    output: dollars,
  }),
  dated: z.iso.date(),
  source: z.string().min(1),
})
export type Price = z.infer<typeof PriceSchema>

export const PriceFileSchema = z.strictObject({ schema: z.literal('rw30.prices/v1'), prices: z.array(PriceSchema) })

/** The table that is shipped. Throws an error that lists everything wrong with the file. */
export function shippedPrices(file: string | URL = new URL('./prices.json', import.meta.url)): Price[] {
  const parsed = PriceFileSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw new Error(`${file}:\n${z.prettifyError(parsed.error)}`)
  return parsed.data.prices
}

/** The price of a model; a later entry of the table replaces an earlier one. null: the price is unknown. */
export function priceOf(table: readonly Price[], provider: string, model: string): Price | null {
  return table.findLast((price) => price.provider === provider && price.model === model) ?? null
}

/** US dollars for a call; null when the price or a billed kind of token is unknown. Reasoning is part of the output. */
export function costOf(tokens: Tokens, price: Price | null): number | null {
  if (!price) return null
  let millionths = 0
  for (const kind of ['fresh_input', 'cache_read', 'cache_write', 'output'] as const) {
    const count = tokens[kind]
    if (count === null) return null
    millionths += count * price.usd_per_million[kind]
  }
  return millionths / 1_000_000
}

/** The shipped table with a user's own entries, which replace shipped ones of the same model. */
export const priceTable = (own: readonly Price[] = []): Price[] => [...shippedPrices(), ...own]

/** Where the price of the configured model comes from, for the plan; null: its price is unknown. */
export function priceSheet(config: {
  model: 'rehearsal' | { provider: string; id: string }
  prices: readonly Price[]
}): { dated: string; source: string } | null {
  const model = config.model === 'rehearsal' ? { provider: 'rehearsal', id: 'rehearsal' } : config.model
  const price = priceOf(priceTable(config.prices), model.provider, model.id)
  return price && { dated: price.dated, source: price.source }
}
