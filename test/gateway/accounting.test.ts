import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dir } from 'tmp-promise'
import { expect, onTestFinished, test } from 'vitest'
import { ActiveTime } from '../../bench/gateway/active-time.ts'
import { Budget } from '../../bench/gateway/budget.ts'
import { type ModelCall, ModelCallSchema, UNKNOWN_TOKENS, UsageSchema } from '../../bench/gateway/call.ts'
import { callsWriter, readModelCalls } from '../../bench/gateway/calls-file.ts'
import { costOf, priceOf, priceTable, shippedPrices } from '../../bench/gateway/prices.ts'
import { tokensOf } from '../../bench/gateway/tokens.ts'
import { usageOf } from '../../bench/gateway/usage.ts'
import { PRICES } from './support.ts'

const call = (changes: Partial<ModelCall> = {}): ModelCall =>
  ModelCallSchema.parse({
    call: 1,
    stage: 'initial',
    kind: 'main',
    model: 'test-1',
    started_at: '2026-01-01T00:00:00.000Z',
    first_byte_ms: 10,
    duration_ms: 20,
    status: 200,
    error: null,
    request_bytes: 100,
    response_bytes: 200,
    provider_usage: null,
    tokens: { fresh_input: 100, cache_read: 50, cache_write: 0, output: 10, reasoning: null },
    cost_usd: 0.5,
    ...changes,
  })

test.each([
  [
    'OpenAI: cached tokens are part of the prompt',
    { prompt_tokens: 1000, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 896 } },
    { fresh_input: 104, cache_read: 896, cache_write: 0, output: 9, reasoning: null },
  ],
  [
    'nothing said of the cache: reads and fresh input are unknown',
    { prompt_tokens: 1000, completion_tokens: 9, prompt_tokens_details: null },
    { fresh_input: null, cache_read: null, cache_write: null, output: 9, reasoning: null },
  ],
  [
    'OpenRouter: writes beside reads',
    {
      prompt_tokens: 1000,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
    },
    { fresh_input: 100, cache_read: 600, cache_write: 300, output: 9, reasoning: null },
  ],
  [
    'LiteLLM: writes at the top level',
    {
      prompt_tokens: 1000,
      completion_tokens: 9,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 600,
    },
    { fresh_input: 100, cache_read: 600, cache_write: 300, output: 9, reasoning: null },
  ],
  [
    'DeepSeek: hits',
    { prompt_tokens: 1000, completion_tokens: 9, prompt_cache_hit_tokens: 640, prompt_cache_miss_tokens: 360 },
    { fresh_input: 360, cache_read: 640, cache_write: 0, output: 9, reasoning: null },
  ],
  [
    'more cached than there was: no fresh input is made up',
    { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 90 } },
    { fresh_input: null, cache_read: 90, cache_write: 90, output: 9, reasoning: null },
  ],
  [
    'reasoning within the output',
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    { fresh_input: 100, cache_read: 0, cache_write: 0, output: 50, reasoning: 30 },
  ],
  [
    'reasoning beside the output, as the total shows',
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 230,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 80 },
    },
    { fresh_input: 100, cache_read: 0, cache_write: 0, output: 130, reasoning: 80 },
  ],
  [
    'more reasoning than output and no total: the output is unknown',
    { prompt_tokens: 100, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 80 } },
    { fresh_input: null, cache_read: null, cache_write: null, output: null, reasoning: 80 },
  ],
  ['nonsense', { prompt_tokens: -1, completion_tokens: 'many', prompt_tokens_details: 'x' }, UNKNOWN_TOKENS],
  ['nothing', null, UNKNOWN_TOKENS],
])('tokens by kind: %s', (_, usage, tokens) => {
  expect(tokensOf(usage)).toEqual(tokens)
})

test('a provider without a prompt cache need not report it', () => {
  expect(tokensOf({ prompt_tokens: 1000, completion_tokens: 9 }, 'none')).toMatchObject({
    fresh_input: 1000,
    cache_read: 0,
    cache_write: 0,
  })
})

test('sums know what they do not know', () => {
  const usage = usageOf([
    call({ call: 1 }),
    call({ call: 3, tokens: { ...UNKNOWN_TOKENS, output: 7 }, provider_usage: { prompt_tokens: 900 }, cost_usd: null }),
    call({ call: 2, kind: 'compaction' }),
    call({ call: 4, error: 'cut', tokens: UNKNOWN_TOKENS, cost_usd: null }),
    call({ call: 5, kind: 'auxiliary', error: 'late', cost_usd: 0.25 }),
  ])
  expect(UsageSchema.parse(usage)).toEqual({
    calls: { main: 2, compaction: 1, auxiliary: 0, failed: 2 },
    tokens: { fresh_input: 300, cache_read: 150, cache_write: 0, output: 37, reasoning: null },
    known_token_calls: 3,
    cost_usd: 1.25,
    known_cost_calls: 3,
    total_calls: 5,
    peak_input_tokens: 900,
    final_output_tokens: 7,
  })
})

test('no calls: nothing was used, which is known', () => {
  expect(usageOf([])).toMatchObject({
    tokens: { fresh_input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 },
    known_token_calls: 0,
    cost_usd: 0,
    known_cost_calls: 0,
    total_calls: 0,
    peak_input_tokens: null,
    final_output_tokens: null,
  })
})

test('the cost of a call needs its price and every billed kind', () => {
  const tokens = { fresh_input: 1000, cache_read: 2000, cache_write: 100, output: 10, reasoning: null }
  const price = priceOf(PRICES, 'test', 'test-1')
  expect(costOf(tokens, price)).toBeCloseTo((1000 * 2 + 2000 * 0.5 + 100 * 4 + 10 * 8) / 1e6, 12)
  expect(costOf({ ...tokens, cache_write: null }, price)).toBeNull()
  expect(costOf(tokens, null)).toBeNull()
})

test('the shipped table is valid, labels the made-up tariff, and gives way to own entries', () => {
  expect(priceOf(shippedPrices(), 'rehearsal', 'rehearsal')?.source).toContain('made up')
  const own = { ...PRICES[0]!, provider: 'rehearsal', model: 'rehearsal' }
  expect(priceOf(priceTable([own]), 'rehearsal', 'rehearsal')).toEqual(own)
  expect(priceOf(priceTable(), 'no', 'body')).toBeNull()
})

test('a budget admits below its cap, and counts unknown costs', () => {
  const budget = new Budget({ capUsd: 1, spentUsd: 0.5 })
  budget.charge(null)
  expect(budget.admit()).toBe(true)
  budget.charge(0.5)
  expect(budget.admit()).toBe(false)
  expect(budget).toMatchObject({ spentUsd: 1, unknownCalls: 1 })
  expect(new Budget({ capUsd: null, spentUsd: 1e9 }).admit()).toBe(true)
})

test('overlapping times count once, up to now', () => {
  let clock = 0
  const active = new ActiveTime(() => clock)
  active.begin()
  clock = 10
  active.begin()
  clock = 15
  active.end()
  expect(active.total()).toBe(15)
  clock = 20
  active.end()
  clock = 100
  expect(active.total()).toBe(20)
  active.begin()
  clock = 101
  expect(active.total()).toBe(21)
})

test('calls are read around a torn line, and a writer does not append to it', async () => {
  const folder = await dir({ unsafeCleanup: true })
  onTestFinished(() => folder.cleanup())
  const file = join(folder.path, 'model-calls.jsonl')
  expect(readModelCalls(file)).toEqual({ calls: [], torn: 0 })
  callsWriter(file)(call({ call: 1 }))
  appendFileSync(file, JSON.stringify(call({ call: 2 })).slice(0, 80))
  expect(readModelCalls(file)).toEqual({ calls: [call({ call: 1 })], torn: 1 })
  callsWriter(file)(call({ call: 3 }))
  expect(readModelCalls(file)).toEqual({ calls: [call({ call: 1 }), call({ call: 3 })], torn: 1 })
})

test('a line that is JSON but no call is an error with its number', async () => {
  const folder = await dir({ unsafeCleanup: true })
  onTestFinished(() => folder.cleanup())
  const file = join(folder.path, 'model-calls.jsonl')
  writeFileSync(file, `${JSON.stringify(call())}\n{"call": "first"}\n`)
  expect(() => readModelCalls(file)).toThrow(/line 2: /)
})
