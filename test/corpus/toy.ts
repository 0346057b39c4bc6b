import { join } from 'node:path'
import { FIXTURES_GEN } from '../../bench/paths.ts'
import { command, folderWith, writeFiles } from './python.ts'

const PREAMBLE = `import sys
sys.path.insert(0, ${JSON.stringify(FIXTURES_GEN)})
`

/** A task of two stages: write each number's double to output/doubles.csv; numbers of the later stage come after. */
const TOY = {
  'toy/scenario.json': JSON.stringify({
    editable_paths: ['solution/', 'output/', 'state/'],
    stages: [
      { id: 'initial', inject: 'visible/' },
      { id: 'more', inject: 'stages/more/' },
    ],
  }),
  'toy/TASK.md': '# Toy\n',
  'toy/visible/.gitkeep': '',
  'toy/stages/more/inputs/note.txt': 'a static file\n',
  'toy/seed.py': `${PREAMBLE}
from benchlib import fixtures, seeding

def initial(build):
    numbers = [1, 2] if build.fixture == "edge" else [build.rng.randrange(1000) for _ in range(build.size(50, 5))]
    fixtures.write_lines(build.out / "inputs/numbers.txt", map(str, numbers))
    fixtures.write_text(build.out / "state/counter", "0")

def more(build):
    number = 0 if build.fixture == "edge" else build.rng.randrange(1000)
    fixtures.write_lines(build.out / "inputs/more.txt", [str(number)])

if __name__ == "__main__":
    seeding.main(99, {"initial": initial, "more": more})
`,
  'toy/judge.py': `${PREAMBLE}
from benchlib import comparing, judging

def rows(fixture):
    numbers = (fixture.text("inputs/numbers.txt") + fixture.text("inputs/more.txt")).split()
    return [{"number": n, "double": str(2 * int(n))} for n in numbers]

def solve(fixture):
    workspace = fixture.workspace()
    workspace.python("-m", "solution.double", seconds=5)
    return workspace.outputs.csv("output/doubles.csv", ["number", "double"])

@judging.core
def numbers_are_kept(actual, expected):
    """Every number is there."""
    comparing.same_rows("doubles.csv", actual, expected, key=["number"], fields=["number"])

def first_double_is_a_number(actual, expected):
    """The first double can be calculated with."""
    int(actual[0]["double"])

def doubles_are_right(actual, expected):
    """Every double is right."""
    comparing.same_rows("doubles.csv", actual, expected, key=["number"])

def edge(fixture):
    """Zero has a double."""
    comparing.same("double of 0", solve(fixture)[-1]["double"], "0")

judging.main(__file__, artifacts=["solution/"], probe=judging.imports("solution.double"), expect=rows, solve=solve,
             checks=[numbers_are_kept, first_double_is_a_number, doubles_are_right], edge=edge)
`,
  'toy/reference/initial/solution/double.py': `from pathlib import Path

numbers = Path("inputs/numbers.txt").read_text().split() + Path("inputs/more.txt").read_text().split()
lines = ["number,double"] + [f"{number},{int(number) * 2}" for number in numbers]
Path("output/doubles.csv").write_text("\\n".join(lines) + "\\n")
`,
  'toy/reference/near-misses.json': '[]',
}

export const REFERENCE = TOY['toy/reference/initial/solution/double.py']

/** A temporary task and a workspace to be judged. `cache` is shared by tests, as the jail's image takes time to build. */
export async function toyTask(cache?: string) {
  const { path, cleanup } = await folderWith(TOY)
  const env = { RW30_CACHE: cache ?? join(path, 'cache') }
  return {
    path,
    task: join(path, 'toy'),
    workspace: join(path, 'workspace'),
    env,
    cleanup,
    /** Judges a workspace that holds these files. */
    async judge(files: Record<string, string>, judgeSource?: string) {
      await writeFiles(path, { 'workspace/output/.keep': '' })
      await writeFiles(join(path, 'workspace'), files)
      const script = judgeSource === undefined ? 'toy/judge.py' : 'toy/other-judge.py'
      if (judgeSource !== undefined) await writeFiles(path, { [script]: judgeSource })
      return command(join(path, script), ['--workspace', join(path, 'workspace'), '--scale', 'small'], env)
    },
  }
}

export type Toy = Awaited<ReturnType<typeof toyTask>>
export const JUDGE = TOY['toy/judge.py']
