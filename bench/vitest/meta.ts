import type { HandOver } from '../attempt/record.ts'
import 'vitest'

declare module 'vitest' {
  /** Where a long attempt is; shown by the reporter, kept nowhere. */
  interface TestArtifactRegistry {
    'rw30-progress': { type: 'rw30-progress'; message: string }
  }
  interface TaskMeta {
    rw30?: HandOver
  }
}
