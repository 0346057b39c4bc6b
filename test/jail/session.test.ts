import { expect, test } from 'vitest'
import { withBenchlib } from './support/jails.ts'

/** Python that has workspaces `one` and `two` in a folder, a session `s` on it, `python(source)` that runs in `one`, and prints `told`. */
const program = (body: string) => `
import json, os, shutil, signal, tempfile, time
from pathlib import Path
from benchlib.jail import Service, Session
from benchlib.jail_owner import count_processes

told = {}
made = tempfile.TemporaryDirectory()
folder = Path(made.name)
one, two = folder / "one", folder / "two"
for workspace in (one, two):
    (workspace / "inputs").mkdir(parents=True)
    (workspace / "inputs/name.txt").write_text(workspace.name)

def alive(workspace=one):
    return count_processes(int((workspace / "out/namespace").read_text().strip()[5:-1]))

NOTE = "import os; open('out/namespace', 'w').write(os.readlink('/proc/self/ns/pid'))\\n"
s = Session(folder)
def run(*command, workspace=one, **options):
    return s.run(command, workspace=workspace, editable=["out/"], **options)
def python(source, **options):
    done = run("python", "-c", source, **options)
    return [done.returncode, done.stdout.decode(), done.stderr.decode()[-200:], done.ended_by, done.survivors]
${body}
s.close()
told["after"] = alive()
print(json.dumps(told))`

/** Leaves the session's process group and parent, holds the streams open, and writes for ever. */
const DAEMON = `
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(writer, b"x")
        while True:
            print("still here", flush=True)
            open("out/daemon", "a").write("x")
    os._exit(0)
os.read(reader, 1)
while not os.path.exists("out/daemon"):
    time.sleep(0.001)
`
/** Processes that fork and exit at once, so that a list of them is always out of date. */
const HOPPERS = `
import os
for _ in range(8):
    if os.fork() == 0:
        while True:
            if os.fork():
                os._exit(0)
os._exit(0)
`

test('runs share one jail, which ends with the session', async () => {
  const told = await withBenchlib(
    program(`
told["first"] = python(NOTE + "print(open('inputs/name.txt').read(), os.environ['ADDED'], input())", stdin=b"given", env={"ADDED": "yes"})
told["second"] = python(NOTE + "print(open('/workspace/inputs/name.txt').read(), os.getcwd())", workspace=two, cwd=".")
told["code"] = run("sh", "-c", "exit 7", cwd="out").returncode
told["one jail"] = (one / "out/namespace").read_text() == (two / "out/namespace").read_text()
told["between"] = alive()
`),
  )
  expect(told).toEqual({
    first: [0, 'one yes given\n', '', null, 0],
    second: [0, 'two /workspace\n', '', null, 0],
    code: 7,
    'one jail': true,
    between: 1, // the warden
    after: 0,
  })
})

test('what a run leaves running is dead when the run is over', async () => {
  const told = await withBenchlib(
    program(`
done = python(NOTE + ${JSON.stringify(DAEMON)})
told["daemon"] = [done[0], *done[2:]]
told["alive"] = [alive()]
size = (one / "out/daemon").stat().st_size
told["next"] = python("import os; print(*sorted(open(f'/proc/{p}/comm').read().strip() for p in os.listdir('/proc') if p.isdigit()))")
told["wrote on"] = (one / "out/daemon").stat().st_size - size
told["hoppers"] = python(NOTE + ${JSON.stringify(HOPPERS)})
told["alive"] += [alive()]
`),
  )
  expect(told).toEqual({
    daemon: [0, '', null, 0],
    alive: [1, 1],
    next: [0, 'bwrap python python3.12\n', '', null, 0], // its launcher, itself, the warden
    'wrote on': 0,
    hoppers: [0, '', '', null, 0],
    after: 0,
  })
})

test('nothing is carried from run to run but the editable folders', async () => {
  const told = await withBenchlib(
    program(`
LEAVE = NOTE + '''
import ctypes, socket
for at in ("/tmp", "/dev/shm", "out"):
    open(at + "/left", "w").close()
print(ctypes.CDLL(None).semget(4711, 1, 0o1666) >= 0)
server = socket.create_server(("127.0.0.1", 8123), reuse_port=False)
client = socket.create_connection(("127.0.0.1", 8123))
server.accept()[0].close()  # the side that closes first keeps the port for a while
client.close()
'''
FIND = NOTE + '''
import ctypes, socket
print([os.listdir(at) for at in ("/tmp", "/dev/shm", "out")])
print(ctypes.CDLL(None).semget(4711, 1, 0))
with socket.socket() as bare:
    bare.bind(("127.0.0.1", 8123))
'''
told["leave"] = python(LEAVE)
namespace = (one / "out/namespace").read_text()
(one / "out/namespace").unlink()
told["find"] = python(FIND)
told["same jail"] = namespace == (one / "out/namespace").read_text()
`),
  )
  expect(told).toEqual({
    leave: [0, 'True\n', '', null, 0],
    find: [
      0,
      expect.stringMatching(/^\[\[\], \[\], \['(left', 'namespace|namespace', 'left)'\]\]\n-1\n$/),
      '',
      null,
      0,
    ],
    'same jail': true,
    after: 0,
  })
})

test('a run sees its own workspace as it is now, read-only, and no other', async () => {
  const told = await withBenchlib(
    program(`
told["before"] = python(NOTE + "print(sorted(os.listdir('inputs')))")
(one / "inputs/later").mkdir()
(one / "inputs/later/stage.txt").write_text("later")
(one / "inputs/name.txt").unlink()
os.link(two / "inputs/name.txt", one / "inputs/name.txt")
shutil.rmtree(one / "out")
(one / "out").mkdir()
told["now"] = python(NOTE + "print(open('inputs/later/stage.txt').read(), open('inputs/name.txt').read(), os.listdir('out'))")
LOOK = f'OTHER = {str(two)!r}' + '''
import os
for path in ("/run/rw30", "/proc/1/root/run/rw30/editable", "/workspace/../two", OTHER):
    print(os.path.exists(path))
for path in ("inputs/new", "new"):
    try:
        open(path, "w")
    except OSError as error:
        print(error.strerror)
'''
told["look"] = python(LOOK)
for path in ("../two", "."):
    try:
        s.run(["true"], workspace=one, editable=[path])
    except ValueError:
        told[path] = "refused"
try:
    run("true", workspace=folder.parent)
except ValueError:
    told["outside"] = "refused"
`),
  )
  expect(told).toEqual({
    before: [0, "['name.txt']\n", '', null, 0],
    now: [0, "later two ['namespace']\n", '', null, 0],
    look: [0, `${'False\n'.repeat(4)}${'Read-only file system\n'.repeat(2)}`, '', null, 0],
    '../two': 'refused',
    '.': 'refused',
    outside: 'refused',
    after: 0,
  })
})

test('after a run that hits a bound, one that changes the warden, or a jail that dies, the next has a new jail', async () => {
  const told = await withBenchlib(
    program(`
CHANGES = "import os; os.setpriority(os.PRIO_PROCESS, 1, 5)"
def die():
    outer, = [pid for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == os.getpid()]
    os.kill(int(outer), signal.SIGKILL)
    os.waitid(os.P_PID, int(outer), os.WEXITED | os.WNOWAIT)
    while not s._jail.gone:
        time.sleep(0.01)
def parent(pid):
    try:
        return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    except OSError:
        return 0
CASES = {
    "none": lambda: python("pass"),
    "failure": lambda: python("raise SystemExit('no')"),
    "seconds": lambda: python("import time; print('last', flush=True); time.sleep(1000)", seconds=0.5),
    "processes": lambda: python("import os\\nwhile True: os.fork()"),
    "output_bytes": lambda: run("yes").ended_by,
    "changes": lambda: python(CHANGES),
    "silent failure": lambda: python("raise SystemExit(1)"),
    "dies": die,
}
STATE = NOTE + "print(os.getpriority(os.PRIO_PROCESS, 0))"
# The kernel gives the number of a namespace that is gone to the next one: the warden's start tells them apart.
BORN = "open('out/born', 'w').write(open('/proc/1/stat').read().rpartition(')')[2].split()[19])"
for name, case in CASES.items():
    python(BORN)
    born = (one / "out/born").read_text()
    result = case()
    told[name] = [result, python(STATE)[1]]
    python(BORN)
    told[name].append(born != (one / "out/born").read_text())
`),
  )
  const fine = '0\n'
  expect(told).toEqual({
    none: [[0, '', '', null, 0], fine, false],
    failure: [[1, '', 'no\n', null, 0], fine, false],
    seconds: [[null, 'last\n', '', 'seconds', 0], fine, true],
    processes: [[null, '', '', 'processes', 0], fine, true],
    output_bytes: ['output_bytes', fine, true],
    changes: [[0, '', '', null, 0], fine, true],
    'silent failure': [[1, '', '', null, 0], fine, true],
    dies: [null, fine, true],
    after: 0,
  })
})

test('a run with services has a jail of its own', async () => {
  const told = await withBenchlib(
    program(`
SERVE = "import socket, time\\ns = socket.create_server(('127.0.0.1', 0))\\nprint('LISTENING', s.getsockname()[1], flush=True)\\ntime.sleep(1000)"
service = Service("idle", ["python", "-c", SERVE], {"code": two}, url_file="inputs/url.txt")
told["plain"] = python(NOTE)
namespace = (one / "out/namespace").read_text()
CONNECT = "import socket; socket.create_connection(('127.0.0.1', int(open('inputs/url.txt').read().rpartition(':')[2])))"
told["beside"] = python(NOTE + CONNECT, services=[service])
told["other jail"] = namespace != (one / "out/namespace").read_text()
told["again"] = python(NOTE)
told["same jail"] = namespace == (one / "out/namespace").read_text()
`),
  )
  const done = [0, '', '', null, 0]
  expect(told).toEqual({ plain: done, beside: done, 'other jail': true, again: done, 'same jail': true, after: 0 })
})
