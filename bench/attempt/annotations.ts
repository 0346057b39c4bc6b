import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { REASONS } from './outcome.ts'
import type { AttemptRecord } from './record.ts'
import { ATTEMPT_FILES } from './record-store.ts'

/** One annotation of a vitest test: shown in the UI, below a failure, and as a property in JUnit. */
export interface Annotation {
  readonly message: string
  readonly type: string
  readonly attachment?: { path: string; contentType: string }
}

/** Files of an attempt that its test attaches. */
const ATTACHED = [
  { type: 'transcript', message: 'transcript', file: ATTEMPT_FILES.transcript, contentType: 'text/markdown' },
  { type: 'judge', message: 'judge output', file: ATTEMPT_FILES.judge, contentType: 'application/json' },
] as const

/**
 * What a test shows of one attempt: level, stages, times, tokens, cost, compactions, transcript, judge output. The same for a
 * test that has just run it and for one that shows a stored attempt again. Messages of a retry name it. Only files that exist in
 * `attemptDir` are attached: vitest fails a test whose attachment is missing.
 */
export function annotationsOf(record: AttemptRecord, attemptDir: string): Annotation[] {
  const prefix = record.attempt === 1 ? '' : 'retry: '
  const note = (type: string, message: string) => ({ type: `rw30-${type}`, message: `${prefix}${plain(message)}` })
  return [
    note('level', levelLine(record)),
    ...record.stages.map((stage, index) => note('stage', stageLine(stage, index + 1, record.stages.length))),
    note('time', timeLine(record)),
    note('tokens', tokenLine(record)),
    note('cost', costLine(record)),
    ...record.compactions.map((compaction) => note('compaction', compactionLine(compaction))),
    ...record.disagreements.map((line) => note('disagreement', line)),
    ...record.warnings.map((line) => note('warning', line)),
    ...ATTACHED.flatMap(({ type, message, file, contentType }) => {
      const path = join(attemptDir, file)
      return existsSync(path) ? [{ ...note(type, message), attachment: { path, contentType } }] : []
    }),
  ]
}

/** Control, bidirectional and invisible characters that change how a line looks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const DECEPTIVE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g

/** One line of plain text from a string that an agent may have written: no escape sequences, no control characters, capped. */
export function plain(text: string, maxCharacters = 400): string {
  const line = stripVTControlCharacters(text).replaceAll(DECEPTIVE, ' ').replaceAll(/ {2,}/g, ' ').trim()
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1)}…`
}

/** How a value that is not known reads; never 0. */
export const UNKNOWN = '–'

/** `3.2 s`, `85 s`, `4 m 05 s`, `2 h 02 m`; milliseconds in. */
export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 100) return `${seconds} s`
  const pad = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 100) return `${minutes} m ${pad(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`
}

/** US dollars: four places below a dollar, else two. */
export function dollars(value: number | null): string {
  if (value === null) return UNKNOWN
  return value < 1 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`
}

/** `812`, `14.2k`, `3.10M`. */
export function amount(value: number | null): string {
  if (value === null) return UNKNOWN
  if (value < 1000) return String(Math.round(value))
  if (value < 999_950) return `${(value / 1000).toFixed(1)}k`
  return `${(value / 1_000_000).toFixed(2)}M`
}

/** `1 pair`, `2 pairs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** ` (27 of 30 known)`, or nothing when all are. */
export function coverage({ known, of }: { known: number; of: number }): string {
  return known === of ? '' : ` (${known} of ${of} known)`
}

function levelLine({ level, outcome, reason, detail, rehearsal, judge }: AttemptRecord): string {
  return [
    `level ${level ?? UNKNOWN} of 5`,
    `${outcome ?? 'running'}${reason ? `: ${REASONS[reason].says}` : ''}${detail ? ` (${detail})` : ''}`,
    ...(judge?.twin_passed === false ? ['the twin fixture fails'] : []),
    ...(rehearsal ? ['rehearsal, not a measurement'] : []),
  ].join(' · ')
}

function stageLine(stage: AttemptRecord['stages'][number], number: number, of: number): string {
  return [
    `stage ${number}/${of} ${stage.id}`,
    stage.status.replace('_', ' '),
    duration(stage.agent_ms),
    counted(stage.main_calls, 'call'),
    counted(stage.tool_calls, 'tool call'),
    dollars(stage.cost_usd),
  ].join(' · ')
}

function timeLine({ times, limit_seconds }: AttemptRecord): string {
  const { agent_model_ms: model, agent_tools_ms: tools, agent_compaction_ms: compaction } = times
  return [
    `agent ${duration(times.agent_ms)} of ${duration(limit_seconds * 1000)}`,
    `model ${duration(model)}, tools ${duration(tools)}, compaction ${duration(compaction)}`,
    `queue ${duration(times.queue_ms)}, set-up ${duration(times.setup_ms)}, judge ${duration(times.judge_ms)}`,
  ].join(' · ')
}

function tokenLine({ usage }: AttemptRecord): string {
  const { fresh_input, cache_read, cache_write, output, reasoning } = usage.tokens
  return [
    `fresh input ${amount(fresh_input)}, cache read ${amount(cache_read)}, cache write ${amount(cache_write)}`,
    `output ${amount(output)}, of it reasoning ${amount(reasoning)}`,
    `largest input ${amount(usage.peak_input_tokens)}`,
    `${counted(usage.total_calls, 'call')}${coverage({ known: usage.known_token_calls, of: usage.total_calls })}`,
  ].join(' · ')
}

function costLine({ usage }: AttemptRecord): string {
  return `${dollars(usage.cost_usd)}${coverage({ known: usage.known_cost_calls, of: usage.total_calls })}`
}

function compactionLine({
  after_stage,
  origin,
  phase,
  duration_ms,
  detail,
}: AttemptRecord['compactions'][number]): string {
  const where = after_stage ? `after stage ${after_stage}` : 'before the first stage'
  return `${origin} ${where}: ${phase}, ${duration(duration_ms)}${detail ? ` (${detail})` : ''}`
}
