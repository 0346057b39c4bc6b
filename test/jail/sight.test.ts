import { link, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { jailLayout } from '../../bench/jail/jail.ts'
import { REPO } from '../../bench/paths.ts'
import { asAgent, bareSpec, folder, inShell, open } from './support/jails.ts'

test('the restricted shell sees the workspace, Python and files to inspect, and nothing of the agent', async () => {
  const prefix = await folder()
  await writeFile(path.join(prefix, 'cli.js'), '')
  const { stdout } = await inShell(
    `pwd; cat inputs/data.txt
     for path in ${REPO} /home /run /etc/shadow /root/.ssh /work ${prefix}; do test -e $path && echo "sees $path"; done
     for tool in node npm git curl perl gcc bwrap; do command -v $tool && echo "has $tool"; done
     python3.12 -c 'import sys, sqlite3, zoneinfo; print(sys.version_info[:2], zoneinfo.ZoneInfo("Europe/Berlin"))'
     python -c 'import pip' 2>&1 | tail -1`,
    { hostPrefix: prefix },
  )
  expect(stdout.split('\n')).toEqual([
    '/workspace',
    'given',
    '(3, 12) Europe/Berlin',
    "ModuleNotFoundError: No module named 'pip'",
    '',
  ])
})

test('the restricted shell starts with an environment of its own', async () => {
  const { stdout } = await inShell('python -c "import os, json; print(json.dumps(dict(os.environ)))"')
  const { PWD: _pwd, OLDPWD: _old, SHLVL: _level, _: _last, ...environment } = JSON.parse(stdout)
  expect(environment).toEqual({
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    PATH: '/usr/bin',
    PYTHONNOUSERSITE: '1',
    TZ: 'UTC',
  })
})

test('the restricted shell cannot look into processes of the agent or the warden', async () => {
  const { paths } = await jailLayout()
  const script = `
    test -r /proc/$$/environ && echo 'the agent sees itself'
    cat ${paths.home}/token; echo $MODEL_TOKEN
    ${paths.shell} -c "
      for pid in 1 2 $$; do
        cat /proc/\\$pid/environ /proc/\\$pid/maps /proc/\\$pid/fd/0; ls /proc/\\$pid/root/ /proc/\\$pid/cwd/
      done 2>&1 | grep -v -e 'Permission denied' -e 'Operation not permitted'"`
  const { stdout } = await asAgent(['/bin/bash', '-c', script])
  expect(stdout.split('\n')).toEqual(['the agent sees itself', 'secret of the agent', 'secret of the agent', ''])
})

test('the agent sees its home, host and extras, but neither services nor the gateway socket', async () => {
  const extra = path.join(await folder(), 'extension.mjs')
  await writeFile(extra, 'extension\n')
  const { paths } = await jailLayout()
  const { stdout } = await asAgent(
    ['/bin/bash', '-c', `cat ${paths.extras}/ext.mjs; ls ${path.dirname(paths.home)}; echo x > ${paths.home}/made`],
    { mounts: { 'ext.mjs': extra }, hostPrefix: await folder() },
  )
  expect(stdout.split('\n')).toEqual(['extension', 'bwrap', 'extras', 'filter', 'home', 'host', 'shell', ''])
})

test('nothing outside is reached over the network', async () => {
  const server = createServer((_, response) => response.end('outside'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const connect = `
import socket
for address in (("127.0.0.1", ${port}), ("192.0.2.1", 80)):
    try:
        socket.create_connection(address, timeout=5)
        print("connected")
    except OSError as error:
        print(error.strerror)
print([name for _, name in socket.if_nameindex()])`
  const { stdout } = await inShell(`python -c '${connect}'`)
  expect(stdout.split('\n').slice(0, 3)).toEqual(['Connection refused', 'Network is unreachable', "['lo']"])
})

test('inputs cannot be changed, editable paths can, and links out of the workspace are dead', async () => {
  const spec = await bareSpec()
  const outside = path.join(await folder(), 'outside.txt')
  await writeFile(outside, 'outside\n')
  await symlink(outside, path.join(spec.workspace, 'solution/link'))
  const { stdout, stderr } = await inShell(
    `echo changed > inputs/data.txt; rm -f inputs/data.txt; chmod 777 inputs/data.txt; mv inputs other; touch new
     cat solution/link
     echo made > solution/made; id -u; stat -c %u solution/made`,
    spec,
  )
  expect(stdout).toBe('1000\n1000\n')
  expect(stderr).toContain('inputs/data.txt: Read-only file system')
  expect(await readdir(spec.workspace)).toEqual(['inputs', 'solution'])
  expect((await stat(path.join(spec.workspace, 'inputs/data.txt'))).mode & 0o777).toBe(0o644)
  expect(stderr).toContain('solution/link: No such file or directory')
  expect(await readFile(path.join(spec.workspace, 'inputs/data.txt'), 'utf8')).toBe('given\n')
  expect(await readFile(path.join(spec.workspace, 'solution/made'), 'utf8')).toBe('made\n')
})

test('files that the owner adds while the jail runs appear in it', async () => {
  const spec = await bareSpec()
  const jail = await open(['/bin/bash', '-c', 'read line; cat inputs/later.txt'], spec)
  await writeFile(path.join(spec.workspace, 'later'), 'later stage\n')
  await link(path.join(spec.workspace, 'later'), path.join(spec.workspace, 'inputs/later.txt'))
  jail.process.stdin.write('go\n')
  expect(await text(jail.process.stdout)).toBe('later stage\n')
})

test('an editable path that leads through a link is refused', async () => {
  const spec = await bareSpec()
  await symlink('/etc', path.join(spec.workspace, 'linked'))
  await expect(open(['true'], { ...spec, editable: ['linked/'] })).rejects.toThrow('"linked/" is no plain folder below')
  await expect(open(['true'], { ...spec, editable: ['../'] })).rejects.toThrow('"../" is no plain folder below')
})

test('settings of the machine cannot be written, by the shell or by the agent', async () => {
  const { stdout, stderr } = await inShell(
    `cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname; echo core > /proc/sys/kernel/core_pattern
     find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null`,
  )
  expect(stdout).toBe('')
  expect(stderr.match(/Read-only file system/g)).toHaveLength(2)
  const agent = await asAgent(['/bin/bash', '-c', 'cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname'])
  expect(agent.stderr).toContain('Read-only file system')
})

/** Prints as JSON how each of some system calls ends: an error's name, or `done`. */
const SYSTEM_CALLS = `
import ctypes, errno, json, os, platform, socket
c = ctypes.CDLL(None, use_errno=True)
add_key, keyctl, bpf, perf = {"x86_64": (248, 250, 321, 298), "aarch64": (217, 219, 280, 241)}[platform.machine()]
def ends(function, *arguments):
    child = os.fork()
    if child == 0:
        os._exit(ctypes.get_errno() if function(*arguments) == -1 else 0)
    return errno.errorcode.get(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "done")
def family(number):
    try:
        socket.socket(number, socket.SOCK_STREAM).close()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
print(json.dumps({
    "user namespace": ends(c.unshare, 0x10000000),
    "cgroup namespace": ends(c.unshare, 0x02000000),
    "both": ends(c.unshare, 0x12000000),
    "mount": ends(c.mount, b"none", b"/tmp", b"tmpfs", 0, None),
    "keyring": ends(c.syscall, keyctl, 0, -3, 0),
    "key": ends(c.syscall, add_key, b"user", b"name", b"text", 4, -3),
    "bpf": ends(c.syscall, bpf, 0, None, 0),
    "perf": ends(c.syscall, perf, None, 0, -1, -1, 0),
    "own limits": ends(c.prlimit, 0, 7, None, None),
    "another's limits": ends(c.prlimit, 1, 7, None, None),
    "vsock": family(40),
    "unix": family(1),
}))`

test('neither the shell nor the agent reaches what is of the machine and not of the jail', async () => {
  const spec = await bareSpec()
  await writeFile(path.join(spec.workspace, 'calls.py'), SYSTEM_CALLS)
  const refused = {
    'cgroup namespace': 'EPERM',
    both: 'EPERM',
    mount: 'EPERM',
    keyring: 'EPERM',
    key: 'EPERM',
    bpf: 'EPERM',
    perf: 'EPERM',
    'own limits': 'done',
    "another's limits": 'EPERM',
    vsock: 'EAFNOSUPPORT',
    unix: 'done',
  }
  const shell = await inShell('python calls.py', spec)
  expect(JSON.parse(shell.stdout)).toEqual({ ...refused, 'user namespace': 'EPERM' })
  const agent = await asAgent(['python3', 'calls.py'], spec)
  expect(JSON.parse(agent.stdout)).toEqual({ ...refused, 'user namespace': 'done' })
})
