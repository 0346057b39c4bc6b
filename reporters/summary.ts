import type { AttemptRecord, Plan } from '../bench/attempt/record.ts'
import { PRESSURE, type Pressure } from '../bench/corpus/scenario.ts'
import { summariseArm } from './aggregate.ts'
import { groupBy } from './group.ts'
import { comparePairs } from './pairs.ts'
import type { ArmSummary, Problem, Summary, View } from './schema.ts'
import { isFinished, selectAttempts, standingAttempts } from './selection.ts'

/** Narrow to long, the order of every list of classes. */
export const PRESSURES = Object.keys(PRESSURE) as Pressure[]

/** Sorted by task, arm (in the plan's order, then by name), attempt and start: the order of every output. */
export function sortAttempts(records: readonly AttemptRecord[], plan: Plan): AttemptRecord[] {
  const order = new Map(armNames(records, plan).map((name, index) => [name, index]))
  return [...records].sort(
    (a, b) =>
      byName(a.task, b.task) ||
      order.get(a.arm)! - order.get(b.arm)! ||
      a.attempt - b.attempt ||
      byName(a.started_at, b.started_at),
  )
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The plan's arms, then any that only records name. */
function armNames(records: readonly AttemptRecord[], plan: Plan): string[] {
  const planned = plan.arms.map(({ name }) => name)
  const others = new Set(records.map(({ arm }) => arm).filter((arm) => !planned.includes(arm)))
  return [...planned, ...[...others].sort(byName)]
}

function summariseArms(records: readonly AttemptRecord[], arms: readonly string[]): ArmSummary[] {
  const byArm = groupBy(records, ({ arm }) => arm)
  return arms.map((arm) => summariseArm(arm, byArm.get(arm) ?? []))
}

function summariseView(records: readonly AttemptRecord[], tasks: readonly TaskName[], arms: readonly string[]): View {
  const byTask = groupBy(records, ({ task }) => task)
  const byClass = groupBy(records, ({ pressure }) => pressure)
  const classes = PRESSURES.filter((pressure) => tasks.some((task) => task.pressure === pressure))
  return {
    corpus: summariseArms(records, arms),
    classes: classes.map((pressure) => ({ pressure, arms: summariseArms(byClass.get(pressure) ?? [], arms) })),
    tasks: tasks.map(({ task, pressure }) => ({ task, pressure, arms: summariseArms(byTask.get(task) ?? [], arms) })),
  }
}

interface TaskName {
  readonly task: string
  readonly pressure: Pressure
}

/** Tasks that have a record, in order of name. A planned task without one has no class yet; it is in `missing`. */
function tasksOf(records: readonly AttemptRecord[]): TaskName[] {
  const pressures = new Map(records.map(({ task, pressure }) => [task, pressure]))
  return [...pressures].map(([task, pressure]) => ({ task, pressure })).sort((a, b) => byName(a.task, b.task))
}

function saidOf(records: readonly AttemptRecord[], field: 'disagreements' | 'warnings'): Summary['warnings'] {
  return records
    .filter((record) => record[field].length > 0)
    .map((record) => ({ task: record.task, arm: record.arm, attempt: record.attempt, says: record[field] }))
}

function reasonsAgainst(records: readonly AttemptRecord[], plan: Plan): string[] {
  return [
    ...(plan.model.rehearsal || records.some(({ rehearsal }) => rehearsal)
      ? ['a rehearsal: the scripted model answered, no agent was measured']
      : []),
    ...(plan.scale === 'small' ? ['small fixtures: they are made for tests'] : []),
  ]
}

/**
 * From a run's records to its summary. Pure: the same records in any order, merged from shards or not, give the same summary.
 * `records` holds each attempt once; `problems` are passed through and make the summary incomplete.
 */
export function summarise(records: readonly AttemptRecord[], plan: Plan, problems: readonly Problem[] = []): Summary {
  const sorted = sortAttempts(records, plan)
  const arms = armNames(sorted, plan)
  const tasks = tasksOf(sorted)
  const primary = selectAttempts(sorted, 'primary')
  const selected = selectAttempts(sorted, 'selected')
  const finished = new Set(primary.filter(isFinished).map(({ task, arm }) => `${task}/${arm}`))
  const missing = [...plan.tasks]
    .sort(byName)
    .flatMap((task) => plan.arms.map(({ name }) => ({ task, arm: name })))
    .filter(({ task, arm }) => !finished.has(`${task}/${arm}`))
  const against = reasonsAgainst(sorted, plan)
  const names = { reference: plan.comparison.reference, candidate: plan.comparison.candidate }
  const comparable =
    names.reference !== names.candidate && [names.reference, names.candidate].every((name) => arms.includes(name))
  const compare = (view: readonly AttemptRecord[]) => comparePairs(view, tasks, names, against.length === 0)
  return {
    schema: 'rw30.summary/v1',
    run_id: plan.run_id,
    measurement: against.length === 0,
    not_measured_because: against,
    complete: missing.length === 0 && problems.length === 0 && standingAttempts(sorted).every(isFinished),
    missing,
    primary: summariseView(primary, tasks, arms),
    selected: summariseView(selected, tasks, arms),
    all: summariseView(sorted, tasks, arms),
    comparison: comparable ? { primary: compare(primary), selected: compare(selected) } : null,
    disagreements: saidOf(sorted, 'disagreements'),
    warnings: saidOf(sorted, 'warnings'),
    problems: [...problems],
  }
}
