import { describe, expect, test } from 'vitest'
import { ConfigError, comparisonOf, resolveConfig } from '../bench/config.ts'

const problemsOf = (config: unknown, env: NodeJS.ProcessEnv = {}): string[] => {
  try {
    resolveConfig(config, env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const two = { arms: { a: {}, b: {} } }

describe('configuration', () => {
  test('defaults to one arm on the rehearsal model', () => {
    const config = resolveConfig({}, {})
    expect(config.model).toBe('rehearsal')
    expect(Object.keys(config.arms)).toEqual(['vanilla'])
    expect(config.retry_failed).toBe(1)
    expect(config.budget_usd).toBeNull()
  })

  test('lists every problem at once, with what is allowed', () => {
    const problems = problemsOf({ ...two, worker: 3, retry_failed: 2, workers: 0 }, { RW30_SPEED: '9' })
    expect(problems).toHaveLength(4)
    expect(problems.join('\n')).toMatch(/unknown "worker"; allowed: arms, comparison/)
    expect(problems.join('\n')).toMatch(/RW30_SPEED: unknown; allowed: RW30_ARMS/)
    expect(problems.join('\n')).toMatch(/retry_failed: .*expected one of 0\|1/)
    expect(problems.join('\n')).toMatch(/workers: /)
    expect(problems.join('\n')).not.toMatch(/RW30_WORKERS=/)
  })

  test('names the unknown key of an arm', () => {
    expect(problemsOf({ arms: { a: { extension: [] } } })).toEqual([
      'arms.a: unknown "extension"; allowed: agent, host, extensions, settings',
    ])
  })

  test('a variable replaces a key and is validated like it', () => {
    expect(resolveConfig(two, { RW30_WORKERS: '4', RW30_RETRY_FAILED: '0', RW30_RUN_ID: 'r1' })).toMatchObject({
      workers: 4,
      retry_failed: 0,
      run_id: 'r1',
    })
    expect(problemsOf(two, { RW30_WORKERS: 'many' })).toEqual([
      expect.stringMatching(/workers: .*received string \(RW30_WORKERS=many\)/),
    ])
    const keyed = '{"provider":"p","id":"m","api_key":"sk-secret"}'
    expect(problemsOf(two, { RW30_MODEL: keyed }).join()).toMatch(/unknown "api_key".*\(RW30_MODEL\)/)
    expect(problemsOf(two, { RW30_MODEL: keyed }).join()).not.toContain('sk-secret')
    expect(problemsOf({ arms: { 'A b': {} } }).join()).toMatch(/the name must be lower-case letters/)
    expect(problemsOf(two, { RW30_RUN_ID: '../x' })).toHaveLength(1)
    expect(problemsOf(two, { RW30_MODEL: 'gpt' })).toEqual(['RW30_MODEL: "gpt" must be "rehearsal" or a JSON object'])
  })

  test('an empty variable is no variable', () => {
    expect(resolveConfig(two, { RW30_WORKERS: '' }).workers).toBe(1)
  })

  test('RW30_ARMS picks arms, and unknown ones are named', () => {
    expect(Object.keys(resolveConfig(two, { RW30_ARMS: 'b' }).arms)).toEqual(['b'])
    expect(problemsOf(two, { RW30_ARMS: 'b,c' })).toEqual(['RW30_ARMS: no arm c; allowed: a, b'])
  })

  test('a comparison needs arms that exist', () => {
    expect(problemsOf({ ...two, comparison: { reference: 'a', candidate: 'z' } })).toEqual([
      'comparison.candidate: no arm z; allowed: a, b',
    ])
    expect(comparisonOf(resolveConfig(two, {}))).toEqual({ reference: 'a', candidate: 'b' })
  })

  test('a reasoning setting needs a model that reasons', () => {
    expect(problemsOf(two, { RW30_REASONING: 'high' })).toEqual([
      'RW30_REASONING: the rehearsal model has no reasoning setting',
    ])
    const model = {
      provider: 'p',
      id: 'm',
      base_url: 'https://models.example/v1',
      api_key_env: 'KEY',
      context_window: 9000,
      max_output_tokens: 900,
    }
    expect(resolveConfig({ ...two, model }, { RW30_REASONING: 'high' }).model).toMatchObject({ reasoning: 'high' })
    expect(problemsOf({ ...two, model: { ...model, base_url: 'x' } }).join()).toBe('model.base_url: Invalid URL')
    expect(problemsOf({ ...two, model: { ...model, prompt_cache: 'no' } }).join()).toContain('model.prompt_cache')
  })
})
