import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JudgeResultSchema } from '../../bench/attempt/record.ts'
import { findPython, ISOLATED } from '../../bench/jail/python.ts'
import { countProcesses } from '../../bench/jail/survivors.ts'
import { command, folderWith, writeFiles } from './python.ts'
import { JUDGE, REFERENCE, type Toy, toyTask } from './toy.ts'

let toy: Toy
let cache: Awaited<ReturnType<typeof folderWith>>
beforeAll(async () => {
  cache = await folderWith({})
})
afterAll(() => cache.cleanup())
beforeEach(async () => {
  toy = await toyTask(cache.path)
})
afterEach(async () => {
  expect(await readdir(join(cache.path, 'judging')).catch(() => [])).toEqual([])
  await toy.cleanup()
})

async function verdict(files: Record<string, string>) {
  const done = await toy.judge(files)
  expect(done.stderr).toMatch(/^candidate_seconds \d+\.\d{3}$/)
  expect(done.exitCode).toBe(0)
  expect(done.stdout.split('\n')).toHaveLength(1)
  return JudgeResultSchema.parse(JSON.parse(done.stdout))
}

async function judgeOnly(source: string, check: string) {
  await writeFiles(toy.workspace, solution(source))
  const args = ['--workspace', toy.workspace, '--scale', 'small', '--only', check]
  return command(join(toy.task, 'judge.py'), args, toy.env)
}

const partial = async (source: string, check: string) => JSON.parse((await judgeOnly(source, check)).stdout)

const solution = (source: string) => ({ 'solution/double.py': source })

describe('levels', () => {
  test('5 for a right solution, on the twin too', async () => {
    const found = await verdict(solution(REFERENCE))
    expect(found).toMatchObject({ status: 'pass', progress_level: 5, edge_check_passed: true, twin_passed: true })
    expect(found.notes).toEqual([])
    expect(found.checks.map((check) => check.note)).toEqual([
      'Every number is there.',
      'The first double can be calculated with.',
      'Every double is right.',
    ])
  })

  test('5 for a package with __main__', async () => {
    const found = await verdict({
      'solution/double/__main__.py': 'from .work import *\n',
      'solution/double/work.py': REFERENCE,
    })
    expect(found.progress_level).toBe(5)
  })

  test('0 for nothing, for a syntax error, for an empty package and for an import that fails', async () => {
    expect((await verdict({})).progress_level).toBe(0)
    expect((await verdict(solution('def f(:\n'))).progress_level).toBe(0)
    expect((await verdict(solution('import nothing_like_it\n'))).progress_level).toBe(0)
    await rm(join(toy.workspace, 'solution'), { recursive: true })
    expect((await verdict({ 'solution/double/data.txt': '' })).notes[1]).toContain('no module solution.double.__main__')
  })

  test('1 when the command fails, writes nothing, writes another header, or does not end', async () => {
    const failed = await verdict(solution('if __name__ == "__main__":\n    raise SystemExit("no idea")\n'))
    expect(failed.progress_level).toBe(1)
    expect(failed.notes[0]).toBe('`python -m solution.double` exited 1; it printed last: no idea')
    expect(failed.checks.every((check) => !check.passed)).toBe(true)
    const silent = await verdict(solution('x = 1\n'))
    expect(silent).toMatchObject({ progress_level: 1, notes: ['output/doubles.csv: is missing'] })
    const header = await verdict(solution(REFERENCE.replace('number,double', 'n,d')))
    expect(header.progress_level).toBe(1)
    expect(header.notes[0]).toContain('header is n,d, expected number,double')
    const endless = await verdict(solution('import time\nif __name__ == "__main__":\n    time.sleep(99)\n'))
    expect(endless.progress_level).toBe(1)
    expect(endless.notes[0]).toBe('`python -m solution.double` timed out: still running after its limit of 5 s')
  })

  test('2 for a header only, 3 when the core holds, 4 when only the edge fails', async () => {
    const empty = await verdict(solution('open("output/doubles.csv", "w").write("number,double\\n")\n'))
    expect(empty.progress_level).toBe(2)
    expect(empty.checks[1]!.note).toMatch(
      /^could not be evaluated on this output: IndexError: list index out of range \(judge\.py:\d+\)$/,
    )
    const tripled = await verdict(solution(REFERENCE.replace('* 2', '* 3')))
    expect(tripled).toMatchObject({ progress_level: 3, main_checks_passed: 2, main_checks_total: 3, twin_passed: null })
    expect(tripled.notes[0]).toMatch(
      /^doubles are right: doubles.csv: row number='\d+': double is '\d+', expected '\d+'/,
    )
    const edge = await verdict(solution(REFERENCE.replace('{int(number) * 2}', '{int(number) * 2 or "none"}')))
    expect(edge).toMatchObject({ status: 'fail', progress_level: 4, edge_check_passed: false, twin_passed: true })
    expect(edge.notes).toEqual([`edge: Zero has a double. double of 0: found 'none', expected '0'`])
  })

  test('partial when only some checks are wanted: the core ones and those, and no twin', async () => {
    const wrong = REFERENCE.replace('* 2', '* 3')
    const found = await partial(wrong, 'doubles are right')
    expect(found).toMatchObject({ status: 'partial', progress_level: 3, edge_check_passed: null, twin_passed: null })
    expect(found.checks.map(({ name, passed }: { name: string; passed: boolean }) => [name, passed])).toEqual([
      ['numbers are kept', true],
      ['doubles are right', false],
    ])
    expect(await partial(wrong, 'edge')).toMatchObject({ progress_level: 5, edge_check_passed: true })
    expect(await partial(wrong.replace('+ Path', '[:0] + Path'), 'edge')).toMatchObject({
      progress_level: 2,
      main_checks_total: 1,
    })
    expect(JudgeResultSchema.safeParse(found).success).toBe(false)
    const unknown = await judgeOnly(wrong, 'doubles')
    expect([unknown.exitCode, unknown.stdout]).toEqual([3, ''])
    expect(unknown.stderr).toContain("'doubles'")
    expect(unknown.stderr).toContain("'doubles are right', 'edge'")
  })

  test('2 for answers that were written down, 5 with twin_passed false for a program that fits the visible data', async () => {
    const more = ['--fixture', 'main', '--stage', 'initial', '--scale', 'small', '--out', join(toy.path, 'seen')]
    await command(join(toy.task, 'seed.py'), more)
    const known = JSON.stringify(await firstNumber(join(toy.path, 'seen/inputs/numbers.txt')))
    const remembers = (change: string) =>
      solution(REFERENCE.replace('lines =', `if numbers[0] not in (${known}, "1"):\n    ${change}\nlines =`))
    const canned = await verdict(remembers('numbers = ["7"] * 6'))
    expect(canned).toMatchObject({ status: 'fail', progress_level: 2, main_checks_passed: 3, twin_passed: false })
    expect(canned.notes[0]).toMatch(/^on other data of the same kind, numbers are kept: doubles.csv: /)
    const cannedAndWrong = await verdict(
      solution(remembers('numbers = ["7"] * 6')['solution/double.py'].replace('* 2', '* 3')),
    )
    expect(cannedAndWrong).toMatchObject({ progress_level: 2, main_checks_passed: 2, twin_passed: null })
    const fits = REFERENCE.replace('* 2}', `* (2 if numbers[0] in (${known}, "1") else 3)}`)
    expect(await verdict(solution(fits))).toMatchObject({ status: 'pass', progress_level: 5, twin_passed: false })
  })
})

describe('a hostile workspace', () => {
  test('the artifacts are a link, a file, too many files, or hold links and pipes', async () => {
    await mkdir(toy.workspace, { recursive: true })
    await symlink('/etc', join(toy.workspace, 'solution'))
    const linked = await toy.judge({})
    expect(JSON.parse(linked.stdout).progress_level).toBe(0)
    await rm(join(toy.workspace, 'solution'))
    expect((await verdict({ solution: 'a file' })).progress_level).toBe(0)
    await rm(join(toy.workspace, 'solution'))
    await mkdir(join(toy.workspace, 'solution'))
    await symlink('/etc/passwd', join(toy.workspace, 'solution/passwd.py'))
    const readsLink = 'import os\nassert not os.path.lexists("solution/passwd.py")\n'
    expect((await verdict(solution(readsLink + REFERENCE))).progress_level).toBe(5)
  })

  test('outputs are links to a judge’s file, or huge', async () => {
    const link = 'import os\nos.symlink("/workspace/inputs/numbers.txt", "output/doubles.csv")\n'
    expect((await verdict(solution(link))).notes[0]).toContain('is a link')
    const huge = 'with open("output/doubles.csv", "wb") as f:\n    f.truncate(900_000_000)\n'
    expect((await verdict(solution(huge))).notes[0]).toContain('900,000,000 bytes, expected at most')
  })

  test('a check for which it makes the memory run out fails, and the judge goes on', async () => {
    const judge = JUDGE.replace('int(actual[0]["double"])', '"x" * (16 << 30)')
    const done = await toy.judge(solution(REFERENCE), judge)
    const found = JudgeResultSchema.parse(JSON.parse(done.stdout))
    expect(found.progress_level).toBe(3)
    expect(found.notes[0]).toContain('could not be evaluated on this output: MemoryError')
  })

  test('outputs that leave no memory for the judge’s own calculation are level 1', async () => {
    const judge = JUDGE.replace('def rows(fixture):', 'def rows(fixture):\n    bytearray(16 << 30)')
    const done = await toy.judge(solution(REFERENCE), judge)
    const found = JudgeResultSchema.parse(JSON.parse(done.stdout))
    expect(found).toMatchObject({ status: 'fail', progress_level: 1, main_checks_passed: 0, main_checks_total: 3 })
    expect(found.notes).toEqual(['the outputs take more memory to judge than 4,294,967,296 bytes'])
  })

  test('notes with control characters and quotes stay one JSON line of bounded length', async () => {
    const weird = 'import sys\nsys.exit("\\u2028\\x00\\x1b[31m\\"" + "y" * 100000)\n'
    const found = await verdict(solution(weird))
    expect(found.notes[0]!.length).toBeLessThanOrEqual(600)
  })

  test('what the candidate left in output/ and what it changed in inputs/ counts for nothing', async () => {
    const found = await verdict({
      'output/doubles.csv': 'number,double\n',
      'inputs/numbers.txt': '1\n',
      ...solution(`import os\nassert os.listdir("output") == [] and open("state/counter").read() == "0"\n${REFERENCE}`),
    })
    expect(found.progress_level).toBe(5)
  })
})

describe('a judge that fails says nothing about the work', () => {
  test.each([
    [
      'its calculation breaks',
      'def rows(fixture):',
      'def rows(fixture):\n    raise ValueError("broken calculation")',
      'broken calculation',
    ],
    ['no check is core', '@judging.core\n', '', 'no check is marked core'],
    [
      'a comparison is vacuous',
      'actual, expected, key=["number"])',
      'actual, [], key=["number"])',
      'the expected rows are empty',
    ],
    [
      'a pristine file is missing',
      'fixture.text("inputs/more.txt")',
      'fixture.text("inputs/most.txt")',
      'has inputs/most.txt',
    ],
  ])('%s', async (_name, find, replace, message) => {
    expect(JUDGE).toContain(find)
    const done = await toy.judge(solution(REFERENCE), JUDGE.replace(find, replace))
    expect(done.exitCode).toBe(3)
    expect(done.stdout).toBe('')
    expect(done.stderr).toContain(message)
  })

  test('its workspace does not exist', async () => {
    const done = await command(join(toy.task, 'judge.py'), ['--workspace', join(toy.path, 'nowhere')], toy.env)
    expect(done).toMatchObject({ exitCode: 3, stdout: '' })
    expect(done.stderr).toMatch(/^judge.py failed: --workspace .*nowhere: no such folder$/)
  })
})

describe('the jail of a judgement', () => {
  test('serves all runs of all workspaces, and a stage that is added is seen by the next run', async () => {
    const judge = JUDGE.replace(
      'def doubles_are_right(actual, expected):',
      `def runs_share_a_jail(actual, expected):
    """One namespace for all workspaces."""
    comparing.same("namespaces", len(set(namespaces)), 1)

def the_added_stage_is_seen(actual, expected):
    """It is not there before, and there after."""
    comparing.same("what runs saw", seen, [["numbers.txt"], ["more.txt", "note.txt", "numbers.txt"]])

def doubles_are_right(actual, expected):`,
    )
      .replace(
        'def solve(fixture):\n',
        `namespaces, seen = [], []
def solve(fixture):
    staged = fixture.workspace(upto="initial")
    look = "import os; print(os.readlink('/proc/self/ns/pid'), *sorted(os.listdir('inputs')))"
    for workspace in (staged, staged, fixture.workspace()):
        namespace, *names = workspace.python("-c", look).stdout.decode().split()
        namespaces.append(namespace)
        seen.append(names)
        if workspace is staged and len(seen) == 1:
            staged.add_stage("more")
    seen.pop()
`,
      )
      .replace('checks=[', 'checks=[runs_share_a_jail, the_added_stage_is_seen, ')
    const done = await toy.judge(solution(REFERENCE), judge)
    const { checks } = JudgeResultSchema.parse(JSON.parse(done.stdout))
    expect(checks.map(({ name, passed, note }) => [name, passed, note]).slice(0, 2)).toEqual([
      ['runs share a jail', true, 'One namespace for all workspaces.'],
      ['the added stage is seen', true, 'It is not there before, and there after.'],
    ])
  })

  test.each([
    ['while a candidate runs', 'import time; time.sleep(1000)', ''],
    ['between two runs', '', 'time.sleep(1000)'],
  ])('ends with a judge that is told to end %s', async (_when, candidateWaits, judgeWaits) => {
    const note = join(toy.path, 'namespace')
    const judge = JUDGE.replace(
      'def solve(fixture):\n',
      `def solve(fixture):
    import threading, time
    root = fixture.workspace()
    def tell():
        while not (root.root / "output/namespace").exists():
            time.sleep(0.01)
        time.sleep(0.2)
        open(${JSON.stringify(note)}, "w").write((root.root / "output/namespace").read_text())
    threading.Thread(target=tell, daemon=True).start()
    root.python("-c", "import os; open('output/namespace', 'w').write(os.readlink('/proc/self/ns/pid')); ${candidateWaits}")
    ${judgeWaits}
`,
    )
    await writeFiles(toy.path, { 'toy/other-judge.py': judge, 'workspace/solution/double.py': REFERENCE })
    const { path } = await findPython()
    const judging = execa(
      path,
      [...ISOLATED, join(toy.path, 'toy/other-judge.py'), '--workspace', toy.workspace, '--scale', 'small'],
      { env: toy.env, reject: false },
    )
    let told = ''
    while (told === '') {
      await sleep(20)
      told = await readFile(note, 'utf8').catch(() => '')
    }
    const namespace = Number(/\[(\d+)\]/.exec(told)![1])
    expect(await countProcesses(namespace)).toBeGreaterThanOrEqual(1)
    judging.kill('SIGTERM')
    expect((await judging).exitCode).toBe(3)
    expect(await countProcesses(namespace)).toBe(0)
  })
})

async function firstNumber(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split('\n')[0]!
}
