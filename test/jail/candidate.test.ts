import { expect, test } from 'vitest'
import { REPO } from '../../bench/paths.ts'
import { withBenchlib } from './support/jails.ts'

/** Python that has a workspace with `inputs/data.txt`, `tell(name, completed)`, and prints what was told. */
const program = (body: string) => `
import json, os, tempfile
from pathlib import Path
from benchlib.jail import Limits, ServerNotReady, Service, ServiceFailed, run, serve, service_path

told = {}
def tell(name, done):
    told[name] = [done.returncode, done.stdout.decode(), done.stderr.decode(), done.ended_by, done.survivors]

made = tempfile.TemporaryDirectory()
workspace, hidden = Path(made.name, "workspace"), Path(made.name, "hidden")
(workspace / "inputs").mkdir(parents=True)
(workspace / "inputs/data.txt").write_text("given")
hidden.mkdir()
space = dict(workspace=workspace, editable=["solution/"])
${body}
print(json.dumps(told))`

test('a candidate has its workspace, standard input and a clean environment', async () => {
  const told = await withBenchlib(
    program(`
os.environ["SECRET"] = "of the judge"
tell("input", run(["cat"], stdin=b"x" * 300_000, **space))
told["input"][1] = len(told["input"][1])
tell("none", run(["cat"], **space))
tell("env", run(["python", "-c", "import os; print(os.environ.get('SECRET'), os.environ['ADDED'], os.getcwd())"],
                env={"ADDED": "yes"}, cwd="solution", **space))
tell("sight", run(["sh", "-c", "ls -d ${REPO} /run /home " + str(hidden) + " 2>/dev/null; cat inputs/data.txt; touch inputs/x"], **space))
tell("paths", run(["python", "-c", "import sys; print([p for p in sys.path if 'benchlib' in p or 'fixtures' in p])"], **space))
`),
  )
  expect(told).toEqual({
    input: [0, 300_000, '', null, 0],
    none: [0, '', '', null, 0],
    env: [0, 'None yes /workspace/solution\n', '', null, 0],
    sight: [1, 'given', "touch: cannot touch 'inputs/x': Read-only file system\n", null, 0],
    paths: [0, '[]\n', '', null, 0],
  })
})

test('ends are told apart: exit, signal, missing program, missing folder', async () => {
  const told = await withBenchlib(
    program(`
for name, command, cwd in (("exit", "exit 3", "."), ("signal", "kill -SEGV $$", "."), ("folder", "true", "missing")):
    tell(name, run(["sh", "-c", command], cwd=cwd, **space))
tell("program", run(["missing"], **space))
told = {name: done[0] for name, done in told.items()}
`),
  )
  expect(told).toEqual({ exit: 3, signal: 139, folder: 126, program: 127 })
})

test('what a candidate leaves running ends with it, also when that holds its output open', async () => {
  const told = await withBenchlib(
    program(`tell("left", run(["sh", "-c", "setsid sleep 1000 & echo done"], limits=Limits(seconds=60), **space))`),
  )
  expect(told).toEqual({ left: [0, 'done\n', '', null, 0] })
})

const SERVICE = `
(hidden / "sink.py").write_text('''
import http.server
class Sink(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print("got", self.rfile.read(int(self.headers["content-length"])).decode(), flush=True)
        self.send_response(204)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Sink)
print("LISTENING", server.server_port, flush=True)
server.serve_forever()
''')
sink = Service("sink", ["python", "sink.py"], {"code": hidden}, cwd="code", url_file="inputs/url.txt", url_suffix="/sink")
SEND = "import urllib.request as r; r.urlopen(open('inputs/url.txt').read().strip(), data=b'event')"
`

test('a service of the fixture runs beside the candidate, out of its sight, and its log is handed back', async () => {
  const told = await withBenchlib(
    program(`${SERVICE}
look = "find / -name sink.py 2>/dev/null; cat /proc/[0-9]*/cwd/sink.py 2>/dev/null; python -c \\"" + SEND + "\\""
done = run(["sh", "-c", look], services=[sink], **space)
tell("run", done)
port = done.service_ports["sink"]
told["log"] = done.services["sink"].decode() == f"LISTENING {port}\\ngot event\\n"
told["url"] = (workspace / "inputs/url.txt").read_text() == f"http://127.0.0.1:{port}/sink\\n"
broken = Service("sink", ["python", "-c", "raise SystemExit('broken')"], {"code": hidden})
try:
    run(["true"], services=[broken], **space)
except ServiceFailed as error:
    told["broken"] = str(error)
`),
  )
  expect(told).toEqual({
    run: [0, '', '', null, 0],
    log: true,
    url: true,
    broken: 'service sink ended before it listened, exit code 1: broken\n',
  })
})

test('a server is asked from outside, has commands beside it, and ends when told', async () => {
  const told = await withBenchlib(
    program(`${SERVICE}
(workspace / "server.py").write_text('''
import http.server, signal, sys
class Echo(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(201)
        self.send_header("X-Path", self.path)
        self.end_headers()
        self.wfile.write(body[::-1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("LISTENING", server.server_port, flush=True)
server.serve_forever()
''')
with serve(["python", "server.py"], services=[sink], **space) as served:
    status, headers, body = served.request("POST", "/p?q=1", b"abc", {"X-Test": "1"})
    told["answer"] = [status, headers["x-path"], body.decode()]
    told["refused"] = None
    try:
        served.request("GET", "/", port=9)
    except ConnectionError as error:
        told["refused"] = "Connection refused" in str(error)
    tell("beside", served.run(["python", "-c", SEND]))
    told["log"] = served.service_output("sink").decode().splitlines()[1:]
    tell("slow", served.run(["sleep", "1000"], seconds=0.2))
    told["running"] = served.running
    done = served.terminate()
    told["end"] = [done.returncode, done.ended_by, served.running]
`),
  )
  expect(told).toEqual({
    answer: [201, '/p?q=1', 'cba'],
    refused: true,
    beside: [0, '', '', null, 0],
    log: ['got event'],
    slow: [null, '', '', 'seconds', 0],
    running: true,
    end: [0, null, false],
  })
})

test('a server that does not get ready, or that a bound ends, is the fault of the server', async () => {
  const told = await withBenchlib(
    program(`
def not_ready(name, *command, seconds=30.0):
    try:
        with serve(command, limits=Limits(seconds=seconds), **space):
            pass
    except ServerNotReady as error:
        done = error.completed
        told[name] = [done.returncode, done.ended_by, done.stderr.decode().strip()]
not_ready("exits", "python", "-c", "raise SystemExit('no database')")
not_ready("silent", "sleep", "1000", seconds=0.3)
not_ready("missing", "no-such-server")
BOMB = '''
import os, socket
server = socket.create_server(("127.0.0.1", 0))
print("LISTENING", server.getsockname()[1], flush=True)
server.accept()
while True:
    os.fork()
'''
with serve(["python", "-c", BOMB], **space) as served:
    failures = 0
    for _ in range(2):
        try:
            served.request("GET", "/")
        except (OSError, __import__("http").client.HTTPException):
            failures += 1
    tell("beside", served.run(["true"]))
    told["bomb"] = [failures, served.running, served.terminate().ended_by]
`),
  )
  expect(told).toEqual({
    exits: [1, null, 'no database'],
    silent: [null, 'seconds', ''],
    missing: [127, null, '/workspace: line 1: exec: no-such-server: not found'],
    beside: [null, '', '', 'processes', 0],
    bomb: [2, false, 'processes'],
  })
})

test('an endless answer and an endless output of a server are bounded', async () => {
  const told = await withBenchlib(
    program(`
ENDLESS = '''
import http.server
class Endless(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(65536))
        except OSError:
            pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
print("LISTENING", server.server_port, flush=True)
server.serve_forever()
'''
with serve(["python", "-c", ENDLESS], **space) as served:
    try:
        served.request("GET", "/", max_bytes=2**20)
    except ValueError as error:
        told["body"] = str(error)
CHATTY = "print('LISTENING 1', flush=True)\\nwhile True: print('x' * 65536)"
with serve(["python", "-c", CHATTY], limits=Limits(output_bytes=2**20), **space) as served:
    done = served.run(["echo", "beside"])
    told["beside"] = done.stdout.decode()
    while len(served.stdout) < 2**20:
        __import__("time").sleep(0.01)
    done = served.terminate()
    told["output"] = [len(done.stdout), done.ended_by]
`),
  )
  expect(told).toEqual({
    body: 'GET /: the body is longer than 1048576 bytes',
    beside: 'beside\n',
    output: [2 ** 20, 'output_bytes'],
  })
})

test('an editable path through a link is refused before anything starts', async () => {
  const told = await withBenchlib(
    program(`
(workspace / "linked").symlink_to("/etc")
for path in ("linked/", "../hidden/", "."):
    try:
        run(["true"], workspace=workspace, editable=[path])
    except ValueError as error:
        told[path] = str(error).startswith(f"editable path {path!r} is no plain folder below")
`),
  )
  expect(told).toEqual({ 'linked/': true, '../hidden/': true, '.': true })
})
