import { describe, expect, it } from 'vitest'
import { adapterNames, loadAdapter } from '../../bench/agents/index.ts'

describe('loadAdapter', () => {
  it('loads every file of bench/agents/ that is an adapter, under its own name', async () => {
    expect(adapterNames()).toContain('pi')
    for (const name of adapterNames()) expect((await loadAdapter(name)).name).toBe(name)
  })

  it.each(['nobody', 'agent', 'index', '../hosts/cli', ''])('refuses %j and lists what there is', async (name) => {
    await expect(loadAdapter(name)).rejects.toThrow(/known: .*\bpi\b/)
  })
})
