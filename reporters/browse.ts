import { parseArgs } from 'node:util'
import { resolveConfig, resultsDirOf } from '../bench/config.ts'
import userConfig from '../rw30.config.ts'
import { storedTasks } from './browse/runs.ts'

const DEFAULT_PORT = 51_204

const USAGE = `usage: npm run browse -- RUN-ID [--port ${DEFAULT_PORT}] [--no-open]
Opens vitest's UI on the stored attempts of a run, and starts none.`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      port: { type: 'string', default: String(DEFAULT_PORT) },
      open: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const results = resultsDirOf(resolveConfig(userConfig))
  const [runId] = positionals
  const port = Number(values.port)
  if (positionals.length > 1) throw new Error(`one run at a time\n${USAGE}`)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port ${values.port} is no port\n${USAGE}`)
  const run = storedTasks(results, runId)
  const { openBrowser } = await import('./browse/open.ts')
  await openBrowser(run, port, values.open)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
