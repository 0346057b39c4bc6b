import type { AgentModel } from '../agents/agent.ts'
import type { Config } from '../config.ts'
import type { Task } from '../corpus/scenario.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { parseFaults } from '../rehearsal/faults.ts'
import { REHEARSAL_MODEL, rehearsalModel } from '../rehearsal/model.ts'
import { loadScript } from '../rehearsal/script.ts'

/** Far more than a reference needs, so that no compaction happens but the requested ones; and little is kept then, since all is short. */
const REHEARSAL_WINDOW = { contextWindow: 400_000, maxOutputTokens: 32_000, compactionKeepsTokens: 1000 }

/** What answers an attempt's model calls, and how the agent is told to see it. */
export interface ModelRoute {
  upstream: Upstream
  model: { provider: string } & Omit<AgentModel, 'wire' | 'baseUrl' | 'token'>
  /** Taken out of everything that is written. */
  secrets: string[]
}

/** The rehearsal model playing the task's reference, or the user's provider with the user's key. Throws when that key is not set. */
export function modelRoute(config: Config, task: Task): ModelRoute {
  const { model } = config
  if (model === 'rehearsal') {
    const { handle } = rehearsalModel({
      script: loadScript(task.dir),
      faults: parseFaults(process.env.RW30_REHEARSAL_FAULTS ?? ''),
    })
    return {
      upstream: { kind: 'handler', handle },
      model: { ...REHEARSAL_MODEL, ...REHEARSAL_WINDOW, reasoning: null },
      secrets: [],
    }
  }
  const apiKey = process.env[model.api_key_env]
  if (!apiKey) throw new Error(`the environment variable ${model.api_key_env} (model.api_key_env) is not set`)
  return {
    upstream: { kind: 'provider', baseUrl: model.base_url, apiKey, promptCache: model.prompt_cache },
    model: {
      provider: model.provider,
      id: model.id,
      contextWindow: model.context_window,
      maxOutputTokens: model.max_output_tokens,
      reasoning: model.reasoning,
      compactionKeepsTokens: null,
    },
    secrets: [apiKey],
  }
}
