import type { AttemptRecord } from './record.ts'

const SECOND = 1000

/** Where a long attempt is: "stage 2/4 clock-offsets · 85 s of 1800 s · 14 calls · $0.0312". */
export function progressText(record: AttemptRecord, elapsedMs: number): string {
  const index = record.stages.findLastIndex((stage) => stage.status !== 'not_reached')
  const stage = record.stages[Math.max(0, index)]!
  const where = index < 0 ? 'setting up' : `stage ${index + 1}/${record.stages.length} ${stage.id}`
  const { total_calls: calls, cost_usd: costUsd } = record.usage
  const cost = calls === 0 ? '$0' : costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`
  return `${where} · ${Math.round(elapsedMs / SECOND)} s of ${record.limit_seconds} s · ${calls} calls · ${cost}`
}
