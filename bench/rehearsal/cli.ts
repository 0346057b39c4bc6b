import { resolve } from 'node:path'
import { parseFaults } from './faults.ts'
import { rehearsalModel } from './model.ts'
import { loadScript } from './script.ts'
import { serveRehearsal } from './server.ts'

/** `tsx bench/rehearsal/cli.ts TASK_DIR [PORT]`: the rehearsal model of a task as a server, to point an agent at by hand. */
async function main([taskDir, port = '0']: string[]): Promise<void> {
  if (!taskDir) throw new Error('usage: tsx bench/rehearsal/cli.ts TASK_DIR [PORT]')
  const script = loadScript(resolve(taskDir))
  const faults = parseFaults(process.env.RW30_REHEARSAL_FAULTS ?? '')
  const server = await serveRehearsal(rehearsalModel({ script, faults }), Number(port))
  console.log(`${server.baseUrl} (rehearsal of ${taskDir}; Ctrl-C ends it)`)
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
