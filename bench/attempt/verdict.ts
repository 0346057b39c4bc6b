import { plain } from './annotations.ts'
import { REASONS } from './outcome.ts'
import type { AttemptRecord } from './record.ts'

/** What a person reads when a test fails: the outcome, the reason in words, the judge's notes. */
export function verdictText(record: AttemptRecord): string {
  const level = record.level === null ? 'not judged' : `level ${record.level}`
  const head = `${record.outcome}, ${level}${record.attempt === 2 ? ', after a retry' : ''}`
  const reason = record.reason ? `${REASONS[record.reason].says}${record.detail ? `: ${record.detail}` : ''}` : ''
  const notes = (record.judge?.notes ?? []).map((note) => `  - ${plain(note)}`)
  return [head, plain(reason), ...notes].filter(Boolean).join('\n')
}
