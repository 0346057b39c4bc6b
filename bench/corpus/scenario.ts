import { z } from 'zod'

/** The classes of context pressure (specification, section 4) and what each fixes for its tasks. */
export const PRESSURE = {
  N: { count: 8, timeoutSeconds: 600, stages: [1], compactAfter: [] },
  L: { count: 10, timeoutSeconds: 900, stages: [2], compactAfter: [] },
  M: { count: 8, timeoutSeconds: 1200, stages: [3], compactAfter: [1] },
  H: { count: 4, timeoutSeconds: 1800, stages: [4, 5], compactAfter: [1, 3] },
} as const

export const SCENARIO_SCHEMA = 'prime-context.python-realworld-task/v1'

/** A relative POSIX path that stays below the workspace and ends in a slash. */
const directory = z
  .string()
  .regex(
    /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?:[^/\0]+\/)+$/,
    'must be a relative folder below the workspace, ending in "/"',
  )

const identifier = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case words joined by "-"')

export const StageSchema = z.strictObject({
  id: identifier,
  /** Folder of the task whose files the stage adds; generated files of the stage come from seed.py. */
  inject: directory,
  message: z.string().min(1),
  compact_after: z.boolean(),
})

/** A loopback server of the fixture: runs beside the agent, out of its sight, for the whole attempt (section 10.4). */
export const ServiceSchema = z.strictObject({
  id: identifier,
  /** Run in the task's folder; prints `LISTENING <port>` once. `{fixture}` is the folder of the generated files. */
  command: z.array(z.string().min(1)).min(1),
  /** Visible input file that receives `http://127.0.0.1:<port>` and a newline. */
  url_file: z.string().min(1),
})

/** `scenario.json`, field for field as section 3.2 of the specification has it, plus `services`. */
export const ScenarioSchema = z.strictObject({
  schema: z.literal(SCENARIO_SCHEMA),
  id: z.int().min(1).max(30),
  slug: identifier,
  title: z.string().min(1),
  pressure: z.enum(['N', 'L', 'M', 'H']),
  timeout_seconds: z.int().positive(),
  editable_paths: z.array(directory).min(1),
  initial_prompt: z.string().min(1),
  stages: z.array(StageSchema).min(1),
  judge_command: z.array(z.string()).min(1),
  services: z.array(ServiceSchema).optional(),
})

export type Pressure = z.infer<typeof ScenarioSchema>['pressure']
export type Stage = z.infer<typeof StageSchema>
export type Service = z.infer<typeof ServiceSchema>
export type Scenario = z.infer<typeof ScenarioSchema>

/** A task folder that has been read: its scenario and where it lies. */
export interface Task {
  /** `NN-slug`, the folder's name and the first word of the test's title. */
  readonly name: string
  /** Absolute path of the task folder. */
  readonly dir: string
  readonly scenario: Scenario
}
