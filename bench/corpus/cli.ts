import { findPython } from '../jail/python.ts'
import { PRESSURE } from './scenario.ts'
import { validateCorpus } from './validate.ts'

/** `npm run validate`: every error of the corpus in one list, and what is missing. */
const { errors, present, missing, classes } = validateCorpus((await findPython()).path)
const shares = Object.entries(PRESSURE).map(
  ([name, rule]) => `${classes[name as keyof typeof classes]} of ${rule.count} ${name}`,
)
console.log(`${present.length} of 30 tasks (${shares.join(', ')})`)
if (missing.length > 0) console.log(`missing: ${missing.join(', ')}`)
if (errors.length > 0) {
  console.error(
    `\n${errors.length} ${errors.length === 1 ? 'error' : 'errors'}:\n${errors.map((line) => `  - ${line}`).join('\n')}`,
  )
  process.exitCode = 1
} else console.log('no error')
