import { link, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jailLayout } from '../../bench/jail/jail.ts'
import { asAgent, bareSpec, folder, inShell, open } from './support/jails.ts'

const SERVICE = `
import http.server, pathlib

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("asked for", self.path, flush=True)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(pathlib.Path("hidden.txt").read_bytes())

    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print("LISTENING", server.server_port, flush=True)
server.serve_forever()`

async function service(program = SERVICE) {
  const task = await folder()
  await writeFile(path.join(task, 'service.py'), program)
  await writeFile(path.join(task, 'hidden.txt'), 'answer of the service')
  return { id: 'catalog', argv: ['python', 'service.py'], mounts: { task }, cwd: 'task', urlFile: 'inputs/url.txt' }
}

test('a service runs before the agent, under the URL in its file, seen by neither agent nor shell', async () => {
  const spec = await bareSpec()
  const catalog = await service()
  const cached = path.join(await folder(), 'url.txt')
  await writeFile(cached, 'placeholder\n')
  await link(cached, path.join(spec.workspace, 'inputs/url.txt'))
  const log: string[] = []
  const { paths, servicePath } = await jailLayout()
  const look = `find / -name hidden.txt -o -name service.py 2> /dev/null; ls ${servicePath('catalog', 'task')} 2> /dev/null
    for pid in /proc/[0-9]*; do ls $pid/cwd/hidden.txt $pid/root/run/rw30/services 2> /dev/null; done`
  const ask =
    'import urllib.request as r; print(r.urlopen(open("inputs/url.txt").read().strip() + "/x").read().decode())'
  const { stdout, jail, end } = await asAgent(
    ['/bin/bash', '-c', `${look}\n${paths.shell} -c '${look}\npython -c "${ask.replaceAll('"', '\\"')}"'`],
    { ...spec, services: [catalog], onServiceOutput: (id, stream, text) => log.push(`${id} ${stream} ${text}`) },
  )
  const port = jail.servicePorts.catalog
  expect(stdout).toBe('answer of the service\n')
  expect(end).toEqual({ by: null, detail: '', exit: 0, failure: null })
  expect(await readFile(path.join(spec.workspace, 'inputs/url.txt'), 'utf8')).toBe(`http://127.0.0.1:${port}\n`)
  expect(await readFile(cached, 'utf8')).toBe('placeholder\n')
  expect(log).toEqual([`catalog stdout LISTENING ${port}\n`, 'catalog stdout asked for /x\n'])
  expect(await jail.close()).toEqual({ survivors: 0 })
})

test('a service survives what a command does to other programs', async () => {
  const spec = await bareSpec()
  const rough = `sleep 1000 & pkill -9 python; pkill -9 -f python; kill -9 -1; kill %1 && echo rough
python -c 'import urllib.request as r; print(r.urlopen(open("inputs/url.txt").read().strip()).read().decode())'`
  await writeFile(path.join(spec.workspace, 'rough.sh'), rough)
  const { stdout, stderr } = await inShell('bash rough.sh', { ...spec, services: [await service()] })
  expect(stdout).toBe('rough\nanswer of the service\n')
  expect(stderr).toContain('kill: (-1) - Operation not permitted')
})

test('a service that ends before it listens is said with what it printed', async () => {
  const broken = await service('import sys; sys.exit("no catalog here")')
  await expect(open(['true'], { services: [broken] })).rejects.toThrow(
    'service catalog did not listen, it exited 1: no catalog here',
  )
})

test('a service that runs on without listening is given up', async () => {
  const { JAIL_TIMES } = await import('../../bench/jail/jail.ts')
  const { serviceReadyMs } = JAIL_TIMES
  JAIL_TIMES.serviceReadyMs = 300
  onTestFinished(() => void Object.assign(JAIL_TIMES, { serviceReadyMs }))
  const silent = await service('import time; time.sleep(1000)')
  await expect(open(['true'], { services: [silent] })).rejects.toThrow('service catalog did not listen within 0.3 s')
})

test('the gateway is reached on the loopback, many requests at once', async () => {
  const socket = path.join(await folder(), 'gateway.sock')
  const gateway: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => response.end(`${request.url} ${body.length}`))
  })
  await new Promise<void>((resolve) => gateway.listen(socket, resolve))
  onTestFinished(() => void gateway.close())
  const ask = `
import concurrent.futures, urllib.request
def ask(size):
    return urllib.request.urlopen("http://127.0.0.1:4030/v1/chat", data=b"x" * size).read().decode()
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(*pool.map(ask, [1, 10, 1000, 100_000, 3_000_000] * 4), sep=chr(10))`
  const { stdout, jail } = await asAgent(['python', '-c', ask], { gatewaySocket: socket })
  const sizes = [1, 10, 1000, 100_000, 3_000_000]
  expect(stdout.trim().split('\n')).toEqual([...sizes, ...sizes, ...sizes, ...sizes].map((size) => `/v1/chat ${size}`))
  expect(jail.gatewayUrl).toBe((await jailLayout()).gatewayUrl)
})

test('without a gateway nothing listens on its port', async () => {
  const { stdout } = await inShell(
    'python -c "import socket; print(socket.socket().connect_ex((\\"127.0.0.1\\", 4030)))"',
  )
  expect(stdout).toBe('111\n')
})
