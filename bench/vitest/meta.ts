import type { HandOver } from '../attempt/record.ts'
import 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    rw30?: HandOver
  }
}
