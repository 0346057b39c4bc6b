import { z } from 'zod'
import { ScenarioSchema } from '../corpus/scenario.ts'
import { TokensSchema, UsageSchema } from '../gateway/call.ts'
import { OutcomeSchema, ReasonSchema } from './outcome.ts'
import { OwnerSchema } from './owner.ts'

const milliseconds = z.number().nonnegative().nullable()
const count = z.int().nonnegative()
const dollars = z.number().nonnegative().nullable()

/** What judge.py prints: the six fields of the specification's section 6, then the checks and the twin. */
export const JudgeResultSchema = z.strictObject({
  status: z.enum(['pass', 'fail']),
  progress_level: z.int().min(0).max(5),
  main_checks_passed: count,
  main_checks_total: count,
  edge_check_passed: z.boolean(),
  notes: z.array(z.string()),
  checks: z.array(z.strictObject({ name: z.string(), passed: z.boolean(), note: z.string(), core: z.boolean() })),
  twin_passed: z.boolean().nullable(),
})
export type JudgeResult = z.infer<typeof JudgeResultSchema>

/** One stage of one attempt. `agent_ms` runs from the sending of its message to the agent's idle. */
export const StageRecordSchema = z.strictObject({
  id: z.string(),
  status: z.enum(['not_reached', 'running', 'done', 'failed']),
  agent_ms: milliseconds,
  /** Main calls, tool calls and cost of the stage. */
  main_calls: count,
  tool_calls: count,
  cost_usd: dollars,
})

/** `requested` by the scenario or `natural`; a request ends as completed, failed or unsupported. */
export const CompactionSchema = z.strictObject({
  after_stage: z.string().nullable(),
  origin: z.enum(['requested', 'natural']),
  phase: z.enum(['requested', 'completed', 'failed', 'unsupported']),
  duration_ms: milliseconds,
  detail: z.string().nullable(),
})

/** Sums that overlap nowhere: setup + agent + judge <= lifecycle, and the queue is before it; model, tools and compaction are parts of agent. */
export const TimesSchema = z.strictObject({
  /** From the start of the run to the start of the attempt. */
  queue_ms: milliseconds,
  setup_ms: milliseconds,
  agent_ms: milliseconds,
  agent_model_ms: milliseconds,
  agent_tools_ms: milliseconds,
  agent_compaction_ms: milliseconds,
  judge_ms: milliseconds,
  /** Part of judge_ms: the candidate's own runs. */
  judge_candidate_ms: milliseconds,
  /** From the record's first write to its last, queue not included. */
  lifecycle_ms: milliseconds,
})

export const RecordSchema = z.strictObject({
  schema: z.literal('rw30.record/v1'),
  run_id: z.string(),
  /** `NN-slug`. */
  task: z.string(),
  task_id: ScenarioSchema.shape.id,
  pressure: ScenarioSchema.shape.pressure,
  arm: z.string(),
  /** 1 is the primary, 2 the retry. */
  attempt: z.int().min(1).max(2),
  status: z.enum(['running', 'done']),
  /** True when the scripted model answered: never a measurement of an agent. */
  rehearsal: z.boolean(),
  model: z.string(),
  outcome: OutcomeSchema.nullable(),
  reason: ReasonSchema.nullable(),
  /** The reason's particulars, for a person. */
  detail: z.string().nullable(),
  level: z.int().min(0).max(5).nullable(),
  judge: JudgeResultSchema.nullable(),
  /** Process that writes the record while it is `running`. */
  owner: OwnerSchema.extend({ started_at: z.iso.datetime() }),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  limit_seconds: z.number().positive(),
  times: TimesSchema,
  stages: z.array(StageRecordSchema),
  compactions: z.array(CompactionSchema),
  tools: z.strictObject({ calls: count, errors: count, result_bytes: count }),
  retries: count,
  /** As metered by the gateway: the figures that are compared. */
  usage: UsageSchema,
  /** As the agent says it; null where it says nothing. Shown beside `usage`, never mixed with it. */
  agent_reported: z.strictObject({ calls: count.nullable(), tokens: TokensSchema, cost_usd: dollars }),
  /** What the agent reported and the gateway metered, where they differ. */
  disagreements: z.array(z.string()),
  /** What went wrong inside the agent and ended nothing, such as an extension that failed; each once, with its number. */
  warnings: z.array(z.string()).default([]),
  /** What the snapshot of the editable paths left out, and why: links, special files, what is beyond its limits. */
  left_out: z.array(z.string()),
  /** Processes of the attempt that were alive after its end; 0 is asserted. null when the attempt never started. */
  survivors: count.nullable(),
})
export type AttemptRecord = z.infer<typeof RecordSchema>

/** plan.json: what a run is, frozen before its first attempt. */
export const PlanSchema = z.strictObject({
  schema: z.literal('rw30.plan/v1'),
  run_id: z.string(),
  created_at: z.iso.datetime(),
  rw30_version: z.string(),
  arms: z.array(
    z.strictObject({
      name: z.string(),
      agent: z.string(),
      host: z.string(),
      /** Package and version of the host, `null` while it is not installed. */
      host_version: z.string().nullable(),
      extensions: z.array(z.string()),
      /** SHA-256 over the files of the extensions: which version was measured. null without any. */
      extensions_digest: z.string().nullable(),
      settings: z.record(z.string(), z.unknown()),
    }),
  ),
  /** Two arms that are compared: ratios are candidate / reference. */
  comparison: z.strictObject({ reference: z.string(), candidate: z.string() }),
  model: z.strictObject({
    provider: z.string(),
    id: z.string(),
    rehearsal: z.boolean(),
    reasoning: z.string().nullable(),
  }),
  tasks: z.array(z.string()),
  retry_failed: z.union([z.literal(0), z.literal(1)]),
  workers: z.int().positive(),
  budget_usd: z.number().positive().nullable(),
  timeout_seconds: z.number().positive().nullable(),
  scale: z.enum(['full', 'small']),
  prices: z.strictObject({ dated: z.string(), source: z.string() }).nullable(),
  /** SHA-256 over the tasks' files and benchlib: two runs with the same digest were judged alike. */
  corpus_digest: z.string(),
})
export type Plan = z.infer<typeof PlanSchema>

/** What a test hands to the reporter (`task.meta.rw30`), in one run or through blob reports. */
export interface HandOver {
  plan: Plan
  resultsDir: string
  task: string
  arm: string
  attempts: AttemptRecord[]
}
