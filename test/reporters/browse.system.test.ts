import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { dir as temporaryDir } from 'tmp-promise'
import { expect, onTestFinished, test } from 'vitest'
import { attemptPath } from '../../reporters/collect.ts'
import { makePlan, makeRecord } from '../support/records.ts'

const REPO = fileURLToPath(new URL('../..', import.meta.url))
const records = [
  makeRecord(),
  makeRecord({ arm: 'current', reason: 'below_level_5', level: 3, notes: ['row 17 differs'] }),
  makeRecord({ arm: 'current', attempt: 2 }),
]

async function makeResults(): Promise<string> {
  const { path: results, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  for (const record of records) {
    const dir = join(results, 'run-a', attemptPath(record))
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'record.json'), JSON.stringify(record))
    writeFileSync(join(dir, 'transcript.md'), '# Stage initial\n')
  }
  writeFileSync(join(results, 'run-a', 'plan.json'), JSON.stringify(makePlan()))
  mkdirSync(join(results, 'empty-run'))
  return results
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

/** Its temporary folder is `tmp`, so that a test sees what it leaves there. */
function browse(results: string, tmp: string, ...args: string[]) {
  return execa(process.execPath, ['--import', 'tsx', join(REPO, 'reporters/browse.ts'), ...args], {
    cwd: REPO,
    env: { RW30_RESULTS: results, TMPDIR: tmp, NO_COLOR: '1', VITEST: undefined },
    reject: false,
    all: true,
  })
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
}

test('the UI opens on stored attempts, changes nothing of them, and leaves nothing behind', async () => {
  const results = await makeResults()
  const { path: tmp, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  const before = filesBelow(results)
  const port = await freePort()
  const run = browse(results, tmp, 'run-a', '--port', String(port), '--no-open')
  let page = ''
  let replay = ''
  for await (const line of run.iterable({ from: 'all' })) {
    if (!line.includes(`http://127.0.0.1:${port}/__vitest__/`)) continue
    page = await (await fetch(`http://127.0.0.1:${port}/__vitest__/`)).text()
    const folder = readdirSync(tmp).find((name) => name.startsWith('rw30-browse-'))!
    replay = readFileSync(join(tmp, folder, '01-expense-reconciliation.ts'), 'utf8')
    expect(readdirSync(join(tmp, folder, 'attachments'))).toHaveLength(records.length)
    run.kill('SIGINT')
  }
  const { exitCode } = await run
  expect(exitCode).toBe(0)
  expect(page).toContain('<title>Vitest</title>')
  expect(replay).toContain(`replayTask(${JSON.stringify(join(results, 'run-a', '01-expense-reconciliation'))})`)
  expect(filesBelow(results)).toEqual(before)
  expect(readdirSync(tmp).filter((name) => name.startsWith('rw30-browse-'))).toEqual([])
})

test('a replayed attempt passes and fails as it did, with its notes', async () => {
  const results = await makeResults()
  const { path: root, cleanup } = await temporaryDir({ unsafeCleanup: true })
  onTestFinished(() => cleanup())
  const taskDir = join(results, 'run-a', '01-expense-reconciliation')
  const replay = JSON.stringify(join(REPO, 'reporters/browse/replay.ts'))
  writeFileSync(join(root, 'task.ts'), `import { replayTask } from ${replay}\nreplayTask(${JSON.stringify(taskDir)})\n`)
  writeFileSync(join(root, 'vitest.config.mjs'), `export default { test: { include: ['*.ts'] } }\n`)
  const { stdout } = await execa(
    process.execPath,
    [join(REPO, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root, '--reporter=json'],
    { env: { VITEST: undefined }, reject: false },
  )
  const { testResults } = JSON.parse(stdout) as {
    testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[]
  }
  const tests = testResults[0]!.assertionResults
  expect(tests.map(({ title, status }) => `${title} ${status}`)).toEqual([
    'current attempt-1 failed',
    'current attempt-2 passed',
    'vanilla attempt-1 passed',
  ])
  expect(tests[0]!.failureMessages.join('\n')).toContain('row 17 differs')
})

test('an unknown run is refused by a line that names the known ones', async () => {
  const { all, exitCode } = await browse(await makeResults(), '/tmp', 'no-such-run')
  expect(exitCode).toBe(1)
  expect(all).toMatch(/^No run "no-such-run" with attempts in .*\. Known: run-a$/)
})
