import { z } from 'zod'

/** What a fault does instead of, or to, the right answer. */
export const FAULT_KINDS = {
  cut: 'breaks the connection in the middle of the answer',
  silence: 'never answers',
  nonsense: 'answers 200 with something that is no chat completion',
  slow: 'pauses before each piece of the answer (value: milliseconds, 200)',
  no_usage: 'leaves the usage out of the answer',
} as const

const kind = z.union([
  z.enum(Object.keys(FAULT_KINDS) as [keyof typeof FAULT_KINDS, ...(keyof typeof FAULT_KINDS)[]]),
  z.string().regex(/^[45]\d\d$/, `must be an HTTP status (4xx, 5xx) or one of ${Object.keys(FAULT_KINDS).join(', ')}`),
])

/**
 * One row of the table of faults. `when` narrows: stage and step (from 1) to a turn of the script, call (from 1) to a
 * request in order of arrival, summary to requests without tools; an empty one is any request. The first row that fits and has
 * `times` left is used.
 */
export const FaultSchema = z.strictObject({
  when: z
    .strictObject({
      stage: z.string().min(1).optional(),
      step: z.int().positive().optional(),
      call: z.int().positive().optional(),
      summary: z.literal(true).optional(),
    })
    .default({}),
  times: z.union([z.int().positive(), z.literal('always')]).default(1),
  do: kind,
  /** `slow`: milliseconds; an HTTP status: seconds of its Retry-After header. */
  value: z.int().nonnegative().optional(),
})
export type Fault = z.output<typeof FaultSchema>
export type FaultInput = z.input<typeof FaultSchema>

/** A request, as faults tell requests apart; stage and step are null for one without tools. */
export interface FaultContext {
  call: number
  stage: string | null
  step: number | null
}

/** Takes the fault that is due for a request, if any; each use counts. */
export function faultQueue(faults: readonly FaultInput[]): (request: FaultContext) => Fault | null {
  const rows = faults.map((fault) => {
    const parsed = FaultSchema.parse(fault)
    return { fault: parsed, left: parsed.times === 'always' ? Number.POSITIVE_INFINITY : parsed.times }
  })
  return (request) => {
    const row = rows.find(({ fault, left }) => left > 0 && fits(fault.when, request))
    if (!row) return null
    row.left -= 1
    return row.fault
  }
}

const fits = ({ stage, step, call, summary }: Fault['when'], request: FaultContext): boolean =>
  (stage === undefined || stage === request.stage) &&
  (step === undefined || step === request.step) &&
  (call === undefined || call === request.call) &&
  (summary === undefined || request.stage === null)

/**
 * Reads the compact form of the variable RW30_REHEARSAL_FAULTS: rows separated by `;`, each `DO[:VALUE][*TIMES][@WHERE]`, WHERE a
 * list of `stage=ID`, `step=N`, `call=N`, `summary`, separated by `,`. Examples: `500*2@stage=initial,step=1`, `429:1@call=3`,
 * `slow:500*always`, `cut; silence@summary`. Throws an error that lists every row that is wrong.
 */
export function parseFaults(text: string): Fault[] {
  const problems: string[] = []
  const faults: Fault[] = []
  for (const row of text.split(';').map((part) => part.trim())) {
    if (row === '') continue
    const parsed = FaultSchema.safeParse(rowOf(row))
    if (parsed.success) faults.push(parsed.data)
    else
      for (const issue of parsed.error.issues)
        problems.push(`${JSON.stringify(row)}: ${issue.path.join('.') || 'row'}: ${describe(issue)}`)
  }
  if (problems.length > 0)
    throw new Error(
      `RW30_REHEARSAL_FAULTS is wrong:\n${problems.map((line) => `  - ${line}`).join('\n')}\na row is DO[:VALUE][*TIMES][@WHERE]; DO is 4xx, 5xx, ${Object.keys(FAULT_KINDS).join(', ')}; WHERE is stage=ID, step=N, call=N, summary`,
    )
  return faults
}

function rowOf(row: string): unknown {
  const match = /^(?<do>[^:*@]*)(?::(?<value>[^*@]*))?(?:\*(?<times>[^@]*))?(?:@(?<where>.*))?$/s.exec(row)
  const parts = match?.groups ?? {}
  const when: Record<string, unknown> = {}
  for (const condition of parts.where === undefined ? [] : parts.where.split(',')) {
    const [key, value] = condition.split('=').map((side) => side.trim())
    when[key!] = value === undefined ? true : key === 'stage' ? value : numberOf(value)
  }
  return {
    do: (parts.do ?? '').trim(),
    when,
    ...(parts.value !== undefined && { value: numberOf(parts.value) }),
    ...(parts.times !== undefined && { times: parts.times.trim() === 'always' ? 'always' : numberOf(parts.times) }),
  }
}

/** A number, or the text itself for the schema to refuse. */
const numberOf = (text: string): unknown => (/^\s*\d+\s*$/.test(text) ? Number(text) : text)

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  return issue.errors.map((branch) => branch.map((inner) => inner.message).join(', ')).join('; or ')
}
