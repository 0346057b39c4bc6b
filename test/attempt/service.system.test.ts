import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runAttempt } from '../../bench/attempt/attempt.ts'
import { makePlan } from '../../bench/attempt/plan.ts'
import { attemptDir } from '../../bench/attempt/record-store.ts'
import { armsOf, resolveConfig } from '../../bench/config.ts'
import { loadTask } from '../../bench/corpus/load.ts'
import { SCENARIO_SCHEMA } from '../../bench/corpus/scenario.ts'
import { findPython } from '../../bench/jail/python.ts'
import { FIXTURES_GEN } from '../../bench/paths.ts'
import { folderWith } from '../corpus/python.ts'

const NAME = '10-catalog-crawler'
const MESSAGE = 'Read TASK.md.'
const BENCHLIB = `import sys\nsys.path.insert(0, ${JSON.stringify(FIXTURES_GEN)})\n`

/** A task whose data come from a loopback server: the solution asks it, and so does the judge, of a server of its own. */
const FILES = {
  [`${NAME}/scenario.json`]: JSON.stringify({
    schema: SCENARIO_SCHEMA,
    id: 10,
    slug: 'catalog-crawler',
    title: 'Served',
    pressure: 'N',
    timeout_seconds: 60,
    editable_paths: ['solution/', 'output/'],
    initial_prompt: MESSAGE,
    stages: [{ id: 'initial', inject: 'visible/', message: MESSAGE, compact_after: false }],
    judge_command: ['python', 'judge.py', '--workspace', '{workspace}'],
    services: [
      { id: 'catalog', command: ['python', 'service.py', '{fixture}/inputs/word.txt'], url_file: 'inputs/url.txt' },
    ],
  }),
  [`${NAME}/TASK.md`]: 'Ask the server in inputs/url.txt.\n',
  [`${NAME}/visible/.gitkeep`]: '',
  [`${NAME}/seed.py`]: `${BENCHLIB}
from benchlib import fixtures, seeding

def initial(build):
    fixtures.write_text(build.out / "inputs/word.txt", f"{build.fixture}-word")

if __name__ == "__main__":
    seeding.main(10, {"initial": initial})
`,
  [`${NAME}/service.py`]: `import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("asked for", self.path, flush=True)
        body = open(sys.argv[1], "rb").read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print("LISTENING", server.server_port, flush=True)
server.serve_forever()
`,
  [`${NAME}/judge.py`]: `${BENCHLIB}
from pathlib import Path
from benchlib import comparing, jail, judging

def solve(fixture):
    word = fixture.file("inputs/word.txt")
    service = jail.Service("catalog", ["python", "service.py", jail.service_path("catalog", "word.txt")],
                           {"task": Path(__file__).parent, "word.txt": word}, cwd="task", url_file="inputs/url.txt")
    workspace = fixture.workspace()
    workspace.python("-m", "solution.ask", seconds=10, services=[service])
    return workspace.outputs.text("output/answer.txt")

@judging.core
def answer_is_the_word(actual, expected):
    """The answer is what the server said."""
    comparing.same("answer.txt", actual, expected)

def edge(fixture):
    """Another word is another answer."""
    comparing.same("answer.txt", solve(fixture), "edge-word")

judging.main(__file__, artifacts=["solution/"], probe=judging.imports("solution.ask"),
             expect=lambda fixture: fixture.text("inputs/word.txt"), solve=solve, checks=[answer_is_the_word], edge=edge)
`,
  [`${NAME}/reference/initial/solution/ask.py`]: `import urllib.request
from pathlib import Path

url = Path("inputs/url.txt").read_text().strip()
Path("output/answer.txt").write_text(urllib.request.urlopen(url + "/word").read().decode())
`,
  [`${NAME}/reference/initial/commands`]: 'python -m solution.ask && ls /run/rw30 2>&1 | head -5\n',
}

test('a loopback service runs beside the agent, out of its sight, and the judge starts its own', async () => {
  const { path, cleanup } = await folderWith(FILES)
  onTestFinished(() => cleanup())
  const config = resolveConfig({ arms: { pi: {} }, scale: 'small' }, {})
  const results = join(path, 'results')
  const record = await runAttempt({
    task: loadTask(join(path, NAME)),
    arm: armsOf(config)[0]!,
    number: 1,
    config,
    plan: makePlan(config, { runId: 'run', now: new Date(), hostVersions: {}, prices: null }),
    resultsDir: results,
    python: (await findPython()).path,
    queuedSince: Date.now(),
    signal: new AbortController().signal,
    progress: () => {},
    progressEveryMs: 1000,
  })
  expect(record).toMatchObject({ outcome: 'strict', level: 5, survivors: 0 })
  const file = (name: string) => readFileSync(join(attemptDir(results, NAME, 'pi', 1), name), 'utf8')
  expect(file('services.log')).toMatch(/\[catalog stdout\] LISTENING \d+\n[\s\S]*asked for \/word/)
  expect(file('artifacts/output/answer.txt')).toBe('main-word')
  expect(file('transcript.md')).not.toContain('service.py')
})
