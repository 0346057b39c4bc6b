// Makes a fresh machine ready: packages, bubblewrap, a check of Python and the jail, agent hosts (--hosts: all, --used-hosts: those of the configured arms).
// Plain JavaScript, since it runs before anything is installed. What is there already is left alone.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const REPO = fileURLToPath(new URL('../..', import.meta.url))
const OLDEST_NODE = [20, 19]

function fail(message) {
  console.error(`\nrw30 set-up: ${message}`)
  process.exit(1)
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: REPO, stdio: 'inherit', ...options })
  if (result.status !== 0)
    fail(`\`${command} ${args.join(' ')}\` failed (${result.error?.message ?? `exit code ${result.status}`})`)
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]))
    fail(`Node ${OLDEST_NODE.join('.')} or newer is needed, this is ${process.versions.node}`)
  if (process.platform !== 'linux') fail(`the jail needs Linux (bubblewrap), this is ${process.platform}`)
}

function installPackages() {
  const stamp = join(REPO, 'node_modules', '.rw30-lock')
  const digest = createHash('sha256')
    .update(readFileSync(join(REPO, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  console.log('rw30 set-up: installing packages (npm ci)')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, digest)
}

function installBubblewrap() {
  if (spawnSync('bwrap', ['--version']).status === 0) return
  const byHand =
    'bubblewrap is missing; install it (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)'
  if (process.getuid() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) fail(byHand)
  console.log('rw30 set-up: installing bubblewrap (apt-get)')
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'] })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'bubblewrap'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  } catch (error) {
    fail(`${byHand}; apt-get said: ${error.message}`)
  }
}

const tsx = (...args) => run(join(REPO, 'node_modules', '.bin', 'tsx'), args)

checkNode()
installPackages()
installBubblewrap()
tsx('bench/setup/check.ts')
if (process.argv.includes('--hosts')) tsx('bench/hosts/cli.ts', '--missing')
else if (process.argv.includes('--used-hosts')) tsx('bench/hosts/cli.ts', '--missing', '--used')
