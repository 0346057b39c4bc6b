import type { Plan } from '../attempt/record.ts'
import type { Config } from '../config.ts'

/** What the global set-up settles once for all workers. */
export interface RunContext {
  config: Config
  plan: Plan
  /** results/<run id>, absolute. */
  resultsDir: string
  /** A Python 3.12 that runs. */
  python: string
  /** Milliseconds since the epoch at which the run began: an attempt's queue time counts from here. */
  startedAt: number
}

declare module 'vitest' {
  interface ProvidedContext {
    rw30: RunContext
  }
}
