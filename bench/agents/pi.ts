import type { AgentAdapter } from './agent.ts'
import { PiSettingsSchema, planPi } from './pi/plan.ts'
import { PiSession } from './pi/session.ts'

/** pi and its forks in RPC mode: 0.73 and the protocol's second generation, 1.6. */
export const adapter: AgentAdapter = {
  name: 'pi',
  settings: PiSettingsSchema,
  plan: planPi,
  connect: (process, emit) => new PiSession(process, emit),
}
