import { z } from 'zod'

export const OutcomeSchema = z.enum(['strict', 'partial', 'timeout', 'agent_error', 'infra_error', 'interrupted'])
export type Outcome = z.infer<typeof OutcomeSchema>

/**
 * Why an attempt ended as it did: the only place that says which outcome a reason leads to.
 * `judged` tells whether the judge still looks at what the agent left.
 */
export const REASONS = {
  level_5: { outcome: 'strict', judged: true, says: 'the judge gave level 5' },
  below_level_5: { outcome: 'partial', judged: true, says: 'the judge gave less than level 5' },
  deadline: { outcome: 'timeout', judged: true, says: 'the agent was still at work at the deadline' },
  agent_exited: { outcome: 'agent_error', judged: true, says: 'the agent process ended before its last stage' },
  agent_start: {
    outcome: 'agent_error',
    judged: true,
    says: 'the agent process ended before its first model call: its host, its settings or an extension is broken',
  },
  agent_closed_output: { outcome: 'agent_error', judged: true, says: 'the agent closed its output and went on' },
  agent_protocol: { outcome: 'agent_error', judged: true, says: 'the agent broke its own protocol' },
  agent_output_limit: {
    outcome: 'agent_error',
    judged: true,
    says: 'the agent printed a line or a stream beyond the limit',
  },
  agent_turn_failed: {
    outcome: 'agent_error',
    judged: true,
    says: 'the agent gave up a turn with an error of its own',
  },
  process_limit: { outcome: 'agent_error', judged: true, says: 'more processes than the jail allows' },
  memory_limit: { outcome: 'agent_error', judged: true, says: 'more memory than the jail allows' },
  model_unavailable: {
    outcome: 'infra_error',
    judged: true,
    says: 'the last calls to the model failed',
  },
  jail_failed: {
    outcome: 'infra_error',
    judged: true,
    says: 'the jail ended by itself: its launcher or its warden was killed',
  },
  set_up: { outcome: 'infra_error', judged: false, says: 'the workspace, a service or the jail could not be set up' },
  disk_full: { outcome: 'infra_error', judged: true, says: 'the disk under the workspace was full' },
  results_unwritable: {
    outcome: 'infra_error',
    judged: false,
    says: 'files of the attempt could not be written, because the disk was full for instance',
  },
  judge_failed: {
    outcome: 'infra_error',
    judged: false,
    says: 'the judge itself failed or timed out, which says nothing about the work',
  },
  stopped: { outcome: 'interrupted', judged: false, says: 'the run was stopped' },
  killed: { outcome: 'interrupted', judged: false, says: 'the run was killed; found and noted by the next one' },
} as const satisfies Record<string, { outcome: Outcome; judged: boolean; says: string }>

export type Reason = keyof typeof REASONS
export const ReasonSchema = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]])
