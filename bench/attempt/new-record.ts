import { UNKNOWN_TOKENS } from '../gateway/call.ts'
import { usageOf } from '../gateway/usage.ts'
import type { AttemptOptions } from './attempt.ts'
import { thisOwner } from './owner.ts'
import type { AttemptRecord } from './record.ts'

/** The record as it is written before anything starts: status `running`, everything still unknown. */
export function newRecord(options: Omit<AttemptOptions, 'signal' | 'progress' | 'progressEveryMs'>): AttemptRecord {
  const { task, arm, number, config, plan, queuedSince } = options
  const now = new Date()
  return {
    schema: 'rw30.record/v1',
    run_id: plan.run_id,
    task: task.name,
    task_id: task.scenario.id,
    pressure: task.scenario.pressure,
    arm: arm.name,
    attempt: number,
    status: 'running',
    rehearsal: plan.model.rehearsal,
    model: plan.model.id,
    outcome: null,
    reason: null,
    detail: null,
    level: null,
    judge: null,
    owner: { ...thisOwner(), started_at: now.toISOString() },
    started_at: now.toISOString(),
    ended_at: null,
    limit_seconds: config.timeout_seconds ?? task.scenario.timeout_seconds,
    times: {
      queue_ms: Math.max(0, now.getTime() - queuedSince),
      setup_ms: null,
      agent_ms: null,
      agent_model_ms: null,
      agent_tools_ms: null,
      agent_compaction_ms: null,
      judge_ms: null,
      judge_candidate_ms: null,
      lifecycle_ms: null,
    },
    stages: task.scenario.stages.map((stage) => ({
      id: stage.id,
      status: 'not_reached',
      agent_ms: null,
      main_calls: 0,
      tool_calls: 0,
      cost_usd: null,
    })),
    compactions: [],
    tools: { calls: 0, errors: 0, result_bytes: 0 },
    retries: 0,
    usage: usageOf([]),
    agent_reported: { calls: null, tokens: UNKNOWN_TOKENS, cost_usd: null },
    disagreements: [],
    warnings: [],
    left_out: [],
    survivors: null,
  }
}
