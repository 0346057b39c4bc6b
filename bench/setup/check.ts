import { checkJail } from '../jail/jail.ts'
import { findPython } from '../jail/python.ts'

/** Says once what keeps this machine from running jails; silent when nothing does. */
try {
  await checkJail((await findPython()).path)
} catch (error) {
  console.error(`\nrw30 set-up: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
