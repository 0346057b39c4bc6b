import type { AttemptRecord } from '../bench/attempt/record.ts'

export type ViewName = 'primary' | 'selected' | 'all'

/** A strict pass: level 5, within the limits. */
export function isStrict(record: AttemptRecord): boolean {
  return record.outcome === 'strict'
}

/** Ended by itself or by its limits: neither running nor interrupted. */
export function isFinished(record: AttemptRecord): boolean {
  return record.status === 'done' && record.outcome !== null && record.outcome !== 'interrupted'
}

/** Positive when `a` is the better attempt: correctness only, never time or cost. */
function better(a: AttemptRecord, b: AttemptRecord): number {
  const byLevel = (a.level ?? -1) - (b.level ?? -1)
  return byLevel !== 0 ? byLevel : Number(isStrict(a)) - Number(isStrict(b))
}

function chooseBy(
  records: readonly AttemptRecord[],
  key: (record: AttemptRecord) => string,
  replaces: (record: AttemptRecord, previous: AttemptRecord) => boolean,
): AttemptRecord[] {
  const chosen = new Map<string, AttemptRecord>()
  for (const record of records) {
    const previous = chosen.get(key(record))
    if (!previous || replaces(record, previous)) chosen.set(key(record), record)
  }
  return [...chosen.values()]
}

/**
 * The attempts that stand: an interrupted attempt that a continued run made again gives way to the later one of its number
 * (it is kept and charged under `all`), and to a finished one whatever the clocks say: that is not made again.
 */
export function standingAttempts(sorted: readonly AttemptRecord[]): AttemptRecord[] {
  return chooseBy(
    sorted,
    ({ task, arm, attempt }) => `${task}/${arm}/${attempt}`,
    (record, previous) =>
      isFinished(record) === isFinished(previous) ? record.started_at >= previous.started_at : isFinished(record),
  )
}

/**
 * Which of the sorted records a view shows. `primary`: first attempts, never a retry. `selected`: for each task and arm the
 * better attempt, the primary when they are equal. `all`: each one that was ever started.
 */
export function selectAttempts(sorted: readonly AttemptRecord[], view: ViewName): AttemptRecord[] {
  if (view === 'all') return [...sorted]
  const standing = standingAttempts(sorted)
  if (view === 'primary') return standing.filter((record) => record.attempt === 1)
  return chooseBy(
    standing,
    ({ task, arm }) => `${task}/${arm}`,
    (record, previous) => better(record, previous) > 0,
  )
}
