import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findPython, ISOLATED } from '../../bench/jail/python.ts'
import { FIXTURES_GEN } from '../../bench/paths.ts'
import { alive, commandLine, descendants, until } from '../support/processes.ts'
import { command, writeFiles } from './python.ts'
import { JUDGE, type Toy, toyTask } from './toy.ts'

let toy: Toy
beforeAll(async () => {
  toy = await toyTask()
})
afterAll(() => toy.cleanup())

const prove = (...args: string[]) => command(join(FIXTURES_GEN, 'prove.py'), [toy.task, ...args], toy.env)
const nearMisses = (...entries: object[]) =>
  writeFiles(toy.task, { 'reference/near-misses.json': JSON.stringify(entries) })
const edit = (find: string, replace: string) => [{ file: 'solution/double.py', find, replace }]

test('lists the reference, the empty workspace, the seed and every near miss', async () => {
  await nearMisses({ breaks: 'tripled', level: 3, edits: edit('* 2', '* 3'), fails: ['doubles are right'], twin: null })
  const { stdout } = await prove('list')
  expect(JSON.parse(stdout)).toEqual([
    { name: 'reference', level: 5, fails: [], twin: true },
    { name: 'empty', level: 0, fails: [], twin: null },
    { name: 'seed is deterministic', level: null, fails: [], twin: null },
    { name: 'every level has an example', level: null, fails: [], twin: null },
    { name: 'tripled', level: 3, fails: ['doubles are right'], twin: null },
  ])
})

test('runs a case: the judge’s object and no problem when it holds', async () => {
  await nearMisses({ breaks: 'tripled', level: 3, edits: edit('* 2', '* 3'), fails: ['doubles are right'] })
  const held = await prove('run', 'tripled')
  expect(held.exitCode).toBe(0)
  expect(JSON.parse(held.stdout)).toMatchObject({ status: 'partial', progress_level: 3, problems: [] })
  for (const name of ['reference', 'empty', 'seed is deterministic'])
    expect(await prove('run', name), name).toMatchObject({ exitCode: 0 })
})

test('makes every check where the named ones do not decide', async () => {
  const tripled = { level: 3, edits: edit('* 2', '* 3') }
  await nearMisses(
    { breaks: 'named', ...tripled, fails: ['doubles are right', 'edge'] },
    { breaks: 'no name', ...tripled },
    { breaks: 'edge alone', level: 4, edits: edit('int(number)', '(int(number) or 1)'), fails: ['edge'] },
    { breaks: 'not what is named', ...tripled, fails: ['first double is a number'] },
  )
  const run = async (name: string) => JSON.parse((await prove('run', name)).stdout)
  expect(await run('named')).toMatchObject({
    status: 'partial',
    main_checks_total: 2,
    problems: ["'edge' did not fail; failed: ['doubles are right']"],
  })
  expect(await run('no name')).toMatchObject({ status: 'fail', main_checks_total: 3, problems: [] })
  expect(await run('edge alone')).toMatchObject({ status: 'fail', progress_level: 4, problems: [] })
  expect((await run('not what is named')).problems).toEqual([
    'level 5, expected 3',
    "'first double is a number' did not fail; failed: []",
  ])
})

test('says what is not as stated: level, failed checks, twin', async () => {
  await nearMisses(
    { breaks: 'nothing', level: 4, edits: edit('* 2', '* (1 + 1)'), fails: ['edge'], twin: false },
    { breaks: 'no such check', level: 5, edits: edit('* 2', '* (1 + 1)'), fails: ['doubles are wrong'] },
    { breaks: 'a stub', level: 1, files: { 'solution/double.py': 'x = 1\n' }, remove: ['inputs/more.txt'] },
  )
  const found = await prove('run', 'nothing')
  expect(found.exitCode).toBe(1)
  expect(JSON.parse(found.stdout).problems).toEqual([
    'level 5, expected 4',
    `'edge' did not fail; failed: []`,
    'twin_passed is True, expected False',
  ])
  const misnamed = JSON.parse((await prove('run', 'no such check')).stdout)
  expect(misnamed.problems).toEqual([
    "fails: no check is called ['doubles are wrong']; there are ['doubles are right', 'edge', 'first double is a number', 'numbers are kept']",
  ])
  expect(await prove('run', 'a stub')).toMatchObject({ exitCode: 0 })
  expect((await prove('run', 'every level has an example')).stderr).toContain('no case is stated to reach level 2')
})

test('refuses an edit whose text does not occur exactly once, unknown keys and unknown cases', async () => {
  await nearMisses({ breaks: 'twice', level: 3, edits: edit('number', 'n') })
  expect((await prove('run', 'twice')).stderr).toMatch(/'number' occurs \d+ times, expected once/)
  expect((await prove('run', 'twic')).stderr).toContain("did you mean ['twice']")
  await nearMisses({ breaks: 'typo', level: 3, edit: [] })
  expect((await prove('list')).stderr).toContain("unknown keys ['edit']")
})

test('finds a seed whose bytes depend on the hash seed or the zone', async () => {
  const unsteady = `
def initial(build):
    fixtures.write_lines(build.out / "inputs/numbers.txt", sorted(map(str, range(9)), key=hash))
`
  await nearMisses()
  const seed = await readFile(join(toy.task, 'seed.py'), 'utf8')
  await writeFiles(toy.task, { 'seed.py': seed.replace(/def initial[\s\S]*?(?=def more)/, `${unsteady}\n`) })
  const found = await prove('run', 'seed is deterministic')
  expect(found.exitCode).toBe(1)
  expect(found.stderr).toContain('main initial/inputs/numbers.txt: differs from one run to the next')
  await writeFiles(toy.task, { 'seed.py': seed })
})

test('serves many cases from one process; what cannot be made is answered too', async () => {
  await nearMisses(
    { breaks: 'tripled', level: 3, edits: edit('* 2', '* 3') },
    { breaks: 'twice', level: 3, edits: edit('number', 'n') },
  )
  const asked = 'tripled\nreference\ntwice\nunknown\n'
  const served = await command(join(FIXTURES_GEN, 'prove.py'), [toy.task, 'serve'], toy.env, asked)
  const answers = served.stdout.split('\n').map((line) => JSON.parse(line))
  const problemsOf = (name: string): string[] => answers.find((answer) => answer.name === name).problems
  expect(answers).toHaveLength(4)
  expect([...problemsOf('tripled'), ...problemsOf('reference')]).toEqual([])
  expect(problemsOf('twice')[0]).toMatch(/'number' occurs \d+ times, expected once/)
  expect(problemsOf('unknown')[0]).toContain("has no case 'unknown'")
})

test('ends with everything it started when nobody reads its answers any more', async () => {
  await nearMisses({ breaks: 'waits', level: 3, edits: edit('from', 'import time\ntime.sleep(600)\nfrom') })
  await writeFiles(toy.task, { 'judge.py': JUDGE.replace('seconds=5', 'seconds=600') })
  const { path } = await findPython()
  const served = spawn(path, [...ISOLATED, join(FIXTURES_GEN, 'prove.py'), toy.task, 'serve'], {
    env: { ...process.env, ...toy.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    if (alive(served.pid!)) process.kill(-served.pid!, 'SIGKILL')
  })
  const processes = () => [served.pid!, ...descendants(served.pid!)]
  served.stdin.write('waits\n')
  await until('the candidate at work', 60, () =>
    processes().some((pid) => commandLine(pid).includes('solution.double')),
  )
  const all = processes()
  served.stdin.destroy()
  served.stdout.destroy()
  await until('the end of every process', 20, () => !all.some(alive))
})
