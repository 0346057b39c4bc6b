import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { PlanSchema, RecordSchema } from '../../bench/attempt/record.ts'
import { ModelCallSchema } from '../../bench/gateway/call.ts'
import { ResultsSchema, SummarySchema } from '../../reporters/schema.ts'

const text = readFileSync(new URL('../../docs/records.md', import.meta.url), 'utf8')

/** The text below a `##` heading, up to the next. */
function section(heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  items?: JsonSchema | JsonSchema[]
  anyOf?: JsonSchema[]
}

/** Names of all properties at any depth; `depth` 1 takes only the outermost. */
function fieldNames(schema: JsonSchema, depth = Number.POSITIVE_INFINITY): Set<string> {
  const names = new Set<string>()
  const inner = [schema.items ?? [], schema.anyOf ?? []].flat()
  for (const child of inner) for (const name of fieldNames(child, depth)) names.add(name)
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    names.add(name)
    if (depth > 1) for (const below of fieldNames(child, depth - 1)) names.add(below)
  }
  return names
}

test.each([
  { heading: 'plan.json', schema: PlanSchema },
  { heading: 'record.json', schema: RecordSchema },
  { heading: 'model-calls.jsonl', schema: ModelCallSchema },
  { heading: 'results.json', schema: ResultsSchema, depth: 1 },
  { heading: 'summary.json', schema: SummarySchema },
])('docs/records.md names every field of $heading', ({ heading, schema, depth }) => {
  const names = fieldNames(z.toJSONSchema(schema) as JsonSchema, depth)
  expect(names.size).toBeGreaterThan(3)
  const documented = new Set(
    [...section(heading).matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/[.[\]]+/)),
  )
  expect([...names].filter((name) => !documented.has(name))).toEqual([])
})
