import type { AttemptRecord, Plan } from '../../bench/attempt/record.ts'
import { UNKNOWN_TOKENS } from '../../bench/gateway/call.ts'
import { usageOf } from '../../bench/gateway/usage.ts'

/** A finished strict record of task 01, with what a test changes. */
export function someRecord(change: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    schema: 'rw30.record/v1',
    run_id: 'run',
    task: '01-expense-reconciliation',
    task_id: 1,
    pressure: 'N',
    arm: 'vanilla',
    attempt: 1,
    status: 'done',
    rehearsal: true,
    model: 'rehearsal',
    outcome: 'strict',
    reason: 'level_5',
    detail: null,
    level: 5,
    judge: null,
    owner: { pid: 1, boot_id: null, started_at: '2026-01-01T00:00:00.000Z' },
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-01T00:01:00.000Z',
    limit_seconds: 600,
    times: {
      queue_ms: 0,
      setup_ms: 100,
      agent_ms: 1000,
      agent_model_ms: 400,
      agent_tools_ms: 300,
      agent_compaction_ms: null,
      judge_ms: 200,
      lifecycle_ms: 1400,
    },
    stages: [],
    compactions: [],
    tools: { calls: 0, errors: 0, result_bytes: 0 },
    retries: 0,
    usage: usageOf([]),
    agent_reported: { calls: null, tokens: UNKNOWN_TOKENS, cost_usd: null },
    disagreements: [],
    left_out: [],
    survivors: 0,
    ...change,
  }
}

/** A plan of two arms on the rehearsal model. */
export function somePlan(change: Partial<Plan> = {}): Plan {
  const arm = { agent: 'pi', host: 'pi-1.6.0', host_version: null, extensions: [], settings: {} }
  return {
    schema: 'rw30.plan/v1',
    run_id: 'run',
    created_at: '2026-01-01T00:00:00.000Z',
    rw30_version: '0.1.0',
    arms: [
      { name: 'vanilla', ...arm },
      { name: 'current', ...arm },
    ],
    comparison: { reference: 'vanilla', candidate: 'current' },
    model: { provider: 'rehearsal', id: 'rehearsal', rehearsal: true, reasoning: null },
    tasks: ['01-expense-reconciliation'],
    retry_failed: 1,
    workers: 1,
    budget_usd: null,
    timeout_seconds: null,
    scale: 'full',
    prices: null,
    corpus_digest: 'x',
    ...change,
  }
}
