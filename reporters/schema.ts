import { z } from 'zod'
import { OutcomeSchema, ReasonSchema } from '../bench/attempt/outcome.ts'
import { PlanSchema, RecordSchema } from '../bench/attempt/record.ts'

const count = z.int().nonnegative()
const nullableCount = count.nullable()
const amount = z.number().nonnegative().nullable()
const pressure = RecordSchema.shape.pressure

/** How many of how many values are known; a sum or mean beside it is of the known ones. */
export const CoverageSchema = z.strictObject({ known: count, of: count })

/** A 95 % interval, low then high; null where the sample gives none. */
export const IntervalSchema = z.tuple([z.number(), z.number()]).nullable()

/** One quantity over attempts. `known` of `of` attempts have it in full; mean and median are over those. */
export const QuantitySchema = z.strictObject({
  /** Over every known part, the known calls of an attempt that is not known in full included. */
  sum: amount,
  mean: amount,
  median: amount,
  ...CoverageSchema.shape,
})
export type Quantity = z.infer<typeof QuantitySchema>

const times = z.strictObject({
  queue_ms: QuantitySchema,
  setup_ms: QuantitySchema,
  agent_ms: QuantitySchema,
  agent_model_ms: QuantitySchema,
  agent_tools_ms: QuantitySchema,
  agent_compaction_ms: QuantitySchema,
  judge_ms: QuantitySchema,
  judge_candidate_ms: QuantitySchema,
  lifecycle_ms: QuantitySchema,
})

const tokens = z.strictObject({
  fresh_input: QuantitySchema,
  cache_read: QuantitySchema,
  cache_write: QuantitySchema,
  output: QuantitySchema,
  reasoning: QuantitySchema,
  /** fresh_input + cache_read + cache_write + output, where all four are known (reasoning is part of output). */
  total: QuantitySchema,
})

/** One arm's attempts in one scope (a task, a pressure class, the corpus) and one view (primary, selected, all). */
export const ArmSummarySchema = z.strictObject({
  arm: z.string(),
  attempts: count,
  /** Over attempts that ended and were not interrupted; an infrastructure error counts as not passed. */
  strict: z.strictObject({ passed: count, of: count, rate: z.number().nullable(), interval: IntervalSchema }),
  /** Attempts by level; `unknown` were not judged. */
  levels: z.strictObject({ 0: count, 1: count, 2: count, 3: count, 4: count, 5: count, unknown: count }),
  level_mean: amount,
  /** Attempts by outcome; `running` ones have none yet. */
  outcomes: z.strictObject({
    ...(Object.fromEntries(OutcomeSchema.options.map((outcome) => [outcome, count])) as Record<
      (typeof OutcomeSchema.options)[number],
      typeof count
    >),
    running: count,
  }),
  /** Attempts by reason; reasons that did not occur are absent. */
  reasons: z.partialRecord(ReasonSchema, count),
  times,
  calls: z.strictObject({ main: count, compaction: count, auxiliary: count, failed: count, total: count }),
  tools: z.strictObject({ calls: count, errors: count, result_bytes: count }),
  tokens,
  /** Calls whose tokens are known. */
  token_calls: CoverageSchema,
  cost_usd: QuantitySchema,
  /** Calls whose cost is known. */
  cost_calls: CoverageSchema,
  /** Largest input of one call: over all attempts, and the median of the attempts' largest. */
  peak_input_tokens: z.strictObject({ max: nullableCount, median: amount, ...CoverageSchema.shape }),
  final_output_tokens: QuantitySchema,
  /** cache_read / (fresh_input + cache_read + cache_write); `reason` says why `ratio` is null. */
  cache_reuse: z.strictObject({ ratio: amount, reason: z.string().nullable(), ...CoverageSchema.shape }),
  /** `requested` by the scenario: completed + failed + unsupported + unanswered. */
  compactions: z.strictObject({
    requested: count,
    completed: count,
    failed: count,
    unsupported: count,
    unanswered: count,
    natural: count,
  }),
  /** Turns that the agent itself tried again. */
  retries: count,
  /** Attempts whose twin fixture passed, failed, or was not judged. */
  twin: z.strictObject({ passed: count, failed: count, unknown: count }),
})
export type ArmSummary = z.infer<typeof ArmSummarySchema>

/** A choice of attempts, by task, pressure class and whole corpus. */
export const ViewSchema = z.strictObject({
  corpus: z.array(ArmSummarySchema),
  classes: z.array(z.strictObject({ pressure, arms: z.array(ArmSummarySchema) })),
  tasks: z.array(z.strictObject({ task: z.string(), pressure, arms: z.array(ArmSummarySchema) })),
})
export type View = z.infer<typeof ViewSchema>

/** What pairs are compared by; each ratio is candidate / reference. */
export const METRICS = [
  'agent_ms',
  'cost_usd',
  'main_calls',
  'total_tokens',
  'fresh_input',
  'cache_read',
  'cache_write',
  'output',
  'reasoning',
] as const
export type Metric = (typeof METRICS)[number]

const perMetric = <T extends z.ZodType>(schema: T) =>
  z.strictObject(Object.fromEntries(METRICS.map((metric) => [metric, schema])) as Record<Metric, T>)

/** One side of a pair: the attempt that stands for the arm; values are null where they are not known in full. */
export const PairSideSchema = z.strictObject({
  attempt: count,
  outcome: OutcomeSchema.nullable(),
  level: nullableCount,
  strict: z.boolean(),
  values: perMetric(amount),
})
export type PairSide = z.infer<typeof PairSideSchema>

export const PairSchema = z.strictObject({
  task: z.string(),
  pressure,
  reference: PairSideSchema.nullable(),
  candidate: PairSideSchema.nullable(),
  /** Both sides are strict passes: only then are there ratios. */
  matched: z.boolean(),
  ratios: perMetric(amount),
})
export type Pair = z.infer<typeof PairSchema>

export const RatioSummarySchema = z.strictObject({
  /** Pairs in the mean. */
  pairs: count,
  geometric_mean: amount,
  interval: IntervalSchema,
  /** Matched pairs without this ratio: a value is unknown, or is 0 on either side. */
  left_out: z.strictObject({ unknown: count, zero: count }),
  /** Pairs in which the candidate needs less, more, or exactly as much. */
  wins: count,
  losses: count,
  ties: count,
  /** Few pairs: read the interval with care. */
  small_sample: z.boolean(),
  /** A sentence, only when the interval excludes 1 and the run is a measurement. */
  claim: z.string().nullable(),
})
export type RatioSummary = z.infer<typeof RatioSummarySchema>

export const PairScopeSchema = z.strictObject({
  matched: count,
  ratios: perMetric(RatioSummarySchema),
  correctness: z.strictObject({
    both: count,
    candidate_only: count,
    reference_only: count,
    neither: count,
    /** Pairs of which a side is missing, unfinished, interrupted or an infrastructure error. */
    left_out: count,
    /** Exact McNemar test of candidate_only against reference_only; null when both are 0. */
    p_value: z.number().nullable(),
    claim: z.string().nullable(),
  }),
})
export type PairScope = z.infer<typeof PairScopeSchema>

export const ComparisonSchema = z.strictObject({
  reference: z.string(),
  candidate: z.string(),
  pairs: z.array(PairSchema),
  corpus: PairScopeSchema,
  classes: z.array(z.strictObject({ pressure, ...PairScopeSchema.shape })),
})
export type Comparison = z.infer<typeof ComparisonSchema>

const attemptKey = z.strictObject({ task: z.string(), arm: z.string(), attempt: count })

/** What could not be read or did not fit together; nothing of it is in the figures. */
export const ProblemSchema = z.strictObject({ path: z.string(), problem: z.string() })
export type Problem = z.infer<typeof ProblemSchema>

/** summary.json. */
export const SummarySchema = z.strictObject({
  schema: z.literal('rw30.summary/v1'),
  run_id: z.string(),
  /** False for a rehearsal and for small fixtures: no claim, and no gate may accept it. */
  measurement: z.boolean(),
  /** Why `measurement` is false. */
  not_measured_because: z.array(z.string()),
  /** Every task and arm of the plan has a finished primary, no attempt is unfinished, and nothing was unreadable. */
  complete: z.boolean(),
  /** Tasks and arms of the plan without a finished primary. */
  missing: z.array(z.strictObject({ task: z.string(), arm: z.string() })),
  /** First attempts only. */
  primary: ViewSchema,
  /** One attempt for each task and arm: higher level, then strict before not; ties go to the primary. */
  selected: ViewSchema,
  /** Every attempt that is kept, and was paid for; interrupted ones that were made again included. */
  all: ViewSchema,
  /** Pairs of primaries, and of selected attempts; null when an arm of the comparison is not in the plan. */
  comparison: z.strictObject({ primary: ComparisonSchema, selected: ComparisonSchema }).nullable(),
  /** Where an agent's own figures and the gateway's differ. */
  disagreements: z.array(z.strictObject({ ...attemptKey.shape, says: z.array(z.string()) })),
  /** What went wrong inside an agent and ended nothing, such as an extension that failed. */
  warnings: z.array(z.strictObject({ ...attemptKey.shape, says: z.array(z.string()) })),
  problems: z.array(ProblemSchema),
})
export type Summary = z.infer<typeof SummarySchema>

/** results.json: the plan and every attempt, sorted by task, arm (in the plan's order), attempt and start. */
export const ResultsSchema = z.strictObject({
  schema: z.literal('rw30.results/v1'),
  plan: PlanSchema,
  attempts: z.array(RecordSchema),
  problems: z.array(ProblemSchema),
})
export type Results = z.infer<typeof ResultsSchema>
