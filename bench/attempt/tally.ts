import type { Gateway } from '../gateway/gateway.ts'
import { sumKnown } from '../gateway/usage.ts'
import { disagreements } from './disagreements.ts'
import type { Journal } from './journal.ts'
import type { AttemptRecord } from './record.ts'

/** Brings the record up to what the journal and the gateway have seen; may be done at any moment, and again. */
export function tally(record: AttemptRecord, journal: Journal, gateway: Gateway): void {
  record.usage = gateway.usage()
  record.times.agent_model_ms = gateway.activeMs
  record.times.agent_tools_ms = journal.toolsMs
  record.compactions = structuredClone(journal.compactions)
  record.times.agent_compaction_ms = compactionMs(journal.compactions)
  record.tools = { ...journal.tools }
  record.retries = journal.retries
  const { calls, tokens, cost_usd } = journal.reported
  record.agent_reported = calls === 0 ? { ...record.agent_reported } : { calls, tokens: { ...tokens }, cost_usd }
  record.warnings = journal.warnings()
  record.disagreements = disagreements(record.agent_reported, gateway.calls)
  for (const stage of record.stages) {
    const calls = gateway.calls.filter((call) => call.stage === stage.id)
    stage.main_calls = calls.filter((call) => call.kind === 'main').length
    stage.tool_calls = journal.toolCallsOf.get(stage.id) ?? 0
    stage.cost_usd = sumKnown(calls.map((call) => call.cost_usd))
  }
}

/** Time spent compacting: 0 without a compaction, unknown when one of them was not timed. */
function compactionMs(compactions: AttemptRecord['compactions']): number | null {
  const times = compactions.map((compaction) => compaction.duration_ms)
  return times.includes(null) ? null : (sumKnown(times) ?? 0)
}
