import type { Reason } from '../../bench/attempt/outcome.ts'
import { REASONS } from '../../bench/attempt/outcome.ts'
import { type AttemptRecord, type Plan, PlanSchema, RecordSchema } from '../../bench/attempt/record.ts'
import type { Tokens } from '../../bench/gateway/call.ts'

/** What a test says about an attempt; the rest is filled in so that the record is valid. */
export interface Told {
  task?: string
  arm?: string
  attempt?: 1 | 2
  pressure?: AttemptRecord['pressure']
  reason?: Reason | null
  level?: number | null
  agentMs?: number | null
  cost?: number | null
  tokens?: Partial<Tokens>
  calls?: number
  knownCalls?: number
  startedAt?: string
  notes?: string[]
  twin?: boolean | null
  change?: Partial<AttemptRecord>
}

const STARTED = '2026-09-04T10:00:00.000Z'

/** A valid record of a finished attempt: strict, 100 s, $0.10, 10 main calls unless told otherwise. */
export function makeRecord(told: Told = {}): AttemptRecord {
  const task = told.task ?? '01-expense-reconciliation'
  const reason = told.reason === undefined ? 'level_5' : told.reason
  const level = told.level === undefined ? (reason === 'level_5' ? 5 : 3) : told.level
  const calls = told.calls ?? 10
  const known = told.knownCalls ?? calls
  const agent = told.agentMs === undefined ? 100_000 : told.agentMs
  const started = told.startedAt ?? STARTED
  return RecordSchema.parse({
    schema: 'rw30.record/v1',
    run_id: 'run-a',
    task,
    task_id: Number(task.slice(0, 2)),
    pressure: told.pressure ?? 'N',
    arm: told.arm ?? 'vanilla',
    attempt: told.attempt ?? 1,
    status: reason === null ? 'running' : 'done',
    rehearsal: false,
    model: 'test/model',
    outcome: reason === null ? null : REASONS[reason].outcome,
    reason,
    detail: null,
    level,
    judge:
      level === null
        ? null
        : {
            status: level === 5 ? 'pass' : 'fail',
            progress_level: level,
            main_checks_passed: Math.min(level, 4),
            main_checks_total: 4,
            edge_check_passed: level === 5,
            notes: told.notes ?? [],
            checks: [],
            twin_passed: told.twin === undefined ? level >= 4 : told.twin,
          },
    owner: { pid: 4242, boot_id: null, pid_namespace: null, started_at: started },
    started_at: started,
    ended_at: started,
    limit_seconds: 600,
    times: {
      queue_ms: 500,
      setup_ms: 1_000,
      agent_ms: agent,
      agent_model_ms: agent === null ? null : agent * 0.8,
      agent_tools_ms: agent === null ? null : agent * 0.1,
      agent_compaction_ms: 0,
      judge_ms: 4_000,
      judge_candidate_ms: 3_000,
      lifecycle_ms: agent === null ? null : agent + 6_000,
    },
    stages: [
      {
        id: 'initial',
        status: 'done',
        agent_ms: agent,
        main_calls: calls,
        tool_calls: 12,
        cost_usd: told.cost === undefined ? 0.1 : told.cost,
      },
    ],
    compactions: [],
    tools: { calls: 12, errors: 1, result_bytes: 3_000 },
    retries: 0,
    usage: {
      calls: { main: calls, compaction: 0, auxiliary: 0, failed: 0 },
      tokens: {
        fresh_input: 1_000,
        cache_read: 6_000,
        cache_write: 1_000,
        output: 2_000,
        reasoning: 500,
        ...told.tokens,
      },
      known_token_calls: known,
      cost_usd: told.cost === undefined ? 0.1 : told.cost,
      known_cost_calls: told.cost === null ? 0 : known,
      total_calls: calls,
      peak_input_tokens: 3_000,
      final_output_tokens: 120,
    },
    agent_reported: {
      calls: calls,
      tokens: { fresh_input: null, cache_read: null, cache_write: null, output: null, reasoning: null },
      cost_usd: null,
    },
    disagreements: [],
    warnings: [],
    left_out: [],
    survivors: 0,
    ...told.change,
  })
}

export function makePlan(change: Partial<Plan> = {}): Plan {
  const arm = (name: string) => ({
    name,
    agent: 'pi',
    host: 'pi',
    host_version: 'pi@0.73.1',
    extensions: [],
    extensions_digest: null,
    settings: {},
  })
  return PlanSchema.parse({
    schema: 'rw30.plan/v1',
    run_id: 'run-a',
    created_at: STARTED,
    rw30_version: '0.1.0',
    arms: [arm('vanilla'), arm('current')],
    comparison: { reference: 'vanilla', candidate: 'current' },
    model: { provider: 'test', id: 'model', rehearsal: false, reasoning: 'medium' },
    tasks: ['01-expense-reconciliation', '02-calendar-merge'],
    retry_failed: 1,
    workers: 2,
    budget_usd: null,
    timeout_seconds: null,
    scale: 'full',
    prices: { dated: '2026-09-01', source: 'provider list' },
    corpus_digest: 'c0ffee00c0ffee00c0ffee00',
    ...change,
  })
}
