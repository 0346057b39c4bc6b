import { type ModelCall, TOKEN_KINDS } from '../gateway/call.ts'
import { sumKnown } from '../gateway/usage.ts'
import type { AttemptRecord } from './record.ts'

/**
 * Compares what an agent says of its model calls with what the gateway metered: one line for each figure that both know and that
 * differs. Neither is corrected by the other.
 */
export function disagreements(reported: AttemptRecord['agent_reported'], calls: readonly ModelCall[]): string[] {
  if (reported.calls === null) return []
  const answered = calls.filter((call) => call.error === null)
  const lines: string[] = []
  const compare = (name: string, agent: number | null, metered: number | null) => {
    if (agent !== null && metered !== null && agent !== metered)
      lines.push(`${name}: agent ${agent}, gateway ${metered}`)
  }
  compare('answered model calls', reported.calls, answered.length)
  for (const kind of TOKEN_KINDS)
    compare(`${kind} tokens`, reported.tokens[kind], sumKnown(answered.map((call) => call.tokens[kind])))
  return lines
}
