import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentAdapter } from './agent.ts'

const FOLDER = new URL('./', import.meta.url)
const NOT_ADAPTERS = ['agent.ts', 'index.ts']

/** Names of the adapters: every other file in this folder is one. */
export function adapterNames(): string[] {
  return readdirSync(fileURLToPath(FOLDER))
    .filter((file) => file.endsWith('.ts') && !NOT_ADAPTERS.includes(file))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
}

/** The adapter in `./<name>.ts`; an unknown name is an error that lists the known ones. */
export async function loadAdapter(name: string): Promise<AgentAdapter> {
  if (!adapterNames().includes(name)) {
    throw new Error(`no agent is called ${JSON.stringify(name)}; known: ${adapterNames().join(', ')}`)
  }
  const module = (await import(new URL(`${name}.ts`, FOLDER).href)) as { adapter?: AgentAdapter }
  if (!module.adapter) throw new Error(`bench/agents/${name}.ts does not export \`adapter\``)
  return module.adapter
}
