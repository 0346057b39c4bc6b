import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { dir } from 'tmp-promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SNAPSHOT_LIMITS, Workspace } from '../../bench/attempt/workspace.ts'

let root: string
let cleanup: () => Promise<void>

beforeEach(async () => {
  const made = await dir({ unsafeCleanup: true, prefix: 'rw30-workspace-' })
  root = made.path
  cleanup = made.cleanup
  write('fixture/initial/inputs/a.txt', 'a\n')
  write('fixture/initial/app/main.py', 'print(1)\n')
  write('fixture/late/inputs/b.txt', 'b\n')
  write('fixture/late/app/extra/deep.py', 'print(2)\n')
})
afterEach(() => cleanup())

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

/** Folder, link, folder with a link in it, and so on, without end. */
const EXCHANGE = `while :; do
  rm -rf extra; ln -s "$OUTSIDE" extra
  rm -f extra; mkdir extra && ln -s "$OUTSIDE/deep.py" extra/deep.py
done 2>/dev/null`

function lay(): Workspace {
  const aside = join(root, 'aside')
  mkdirSync(aside, { recursive: true })
  const stages = { initial: join(root, 'fixture/initial'), late: join(root, 'fixture/late') }
  const workspace = new Workspace(join(root, 'ws'), ['app/', 'output/'], stages, aside)
  workspace.inject('initial')
  return workspace
}

describe('laying a workspace', () => {
  test('links inputs to the cache and copies what may be edited', () => {
    lay()
    expect(statSync(join(root, 'ws/inputs/a.txt')).ino).toBe(statSync(join(root, 'fixture/initial/inputs/a.txt')).ino)
    expect(statSync(join(root, 'ws/app/main.py')).ino).not.toBe(statSync(join(root, 'fixture/initial/app/main.py')).ino)
    expect(existsSync(join(root, 'ws/output'))).toBe(true)
    expect(existsSync(join(root, 'ws/inputs/b.txt'))).toBe(false)
  })

  test('adds the files of a later stage, over an edited file too', () => {
    const workspace = lay()
    write('fixture/late/app/main.py', 'print(3)\n')
    write('ws/app/main.py', 'the agent was here')
    workspace.inject('late')
    expect(readFileSync(join(root, 'ws/inputs/b.txt'), 'utf8')).toBe('b\n')
    expect(readFileSync(join(root, 'ws/app/main.py'), 'utf8')).toBe('print(3)\n')
  })

  test('never writes through a link that the agent put in the way', () => {
    const workspace = lay()
    mkdirSync(join(root, 'outside'))
    symlinkSync(join(root, 'outside'), join(root, 'ws/app/extra'))
    symlinkSync(join(root, 'outside/file'), join(root, 'ws/app/main.py.new'))
    write('fixture/late/app/main.py.new', 'x')
    workspace.inject('late')
    expect(execFileSync('find', [join(root, 'outside'), '-type', 'f'], { encoding: 'utf8' })).toBe('')
    expect(lstatSync(join(root, 'ws/app/extra')).isDirectory()).toBe(true)
    expect(readFileSync(join(root, 'ws/app/main.py.new'), 'utf8')).toBe('x')
  })

  test('deletes nothing while the agent lives: a folder that becomes a link at the wrong moment leads nowhere', () => {
    const workspace = lay()
    write('fixture/late/app/victim', 'x')
    write('canary/d/x', 'must stay')
    for (const folder of ['a', 'b', 'c']) mkdirSync(join(root, `ws/app/victim/${folder}/x`), { recursive: true })
    symlinkSync(join(root, 'canary'), join(root, 'ws/app/victim/link'))
    workspace.inject('late')
    expect(readFileSync(join(root, 'ws/app/victim'), 'utf8')).toBe('x')
    expect(readFileSync(join(root, 'canary/d/x'), 'utf8')).toBe('must stay')
    expect(readdirSync(join(root, 'aside'))).toHaveLength(1)
  })

  test('a process that exchanges a folder for a link meanwhile leads no write and no deletion outside', async () => {
    const workspace = lay()
    write('canary/deep.py', 'must stay')
    const racing = spawn('/bin/sh', ['-c', EXCHANGE], {
      cwd: join(root, 'ws/app'),
      env: { OUTSIDE: join(root, 'canary') },
    })
    let laid = 0
    for (const end = Date.now() + 1500; Date.now() < end; )
      try {
        workspace.inject('late')
        laid += 1
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toMatch(/^(EEXIST|ELOOP|ENOTDIR|ENOENT)$/)
      }
    racing.kill('SIGKILL')
    await once(racing, 'close')
    expect(laid).toBeGreaterThan(0)
    expect(readdirSync(join(root, 'aside')).length).toBeGreaterThan(laid)
    expect(readdirSync(join(root, 'canary'))).toEqual(['deep.py'])
    expect(readFileSync(join(root, 'canary/deep.py'), 'utf8')).toBe('must stay')
  })

  test('an unknown stage is an error', () => {
    expect(() => lay().inject('never')).toThrow('the fixture has no stage never')
  })
})

describe('the snapshot', () => {
  test('keeps files, drops links, pipes and Python caches, and names what it left out', () => {
    const workspace = lay()
    write('ws/output/result.csv', 'x\n')
    write('ws/app/__pycache__/main.pyc', 'x')
    symlinkSync('/etc/passwd', join(root, 'ws/output/link'))
    execFileSync('mkfifo', [join(root, 'ws/output/pipe')])
    const left = workspace.snapshot(join(root, 'kept'))
    expect(left).toEqual(['output/link: a link, left out', 'output/pipe: a special file, left out'])
    expect(readFileSync(join(root, 'kept/output/result.csv'), 'utf8')).toBe('x\n')
    expect(existsSync(join(root, 'kept/app/__pycache__'))).toBe(false)
    expect(existsSync(join(root, 'kept/inputs'))).toBe(false)
  })

  test('opens folders and files that were made unreadable', () => {
    const workspace = lay()
    write('ws/output/sub/secret.csv', 'x\n')
    execFileSync('chmod', ['000', join(root, 'ws/output/sub/secret.csv')])
    execFileSync('chmod', ['000', join(root, 'ws/output/sub')])
    expect(workspace.snapshot(join(root, 'kept'))).toEqual([])
    expect(readFileSync(join(root, 'kept/output/sub/secret.csv'), 'utf8')).toBe('x\n')
  })

  test('a name that is not UTF-8, a tree too deep for a path: left out, and the rest is kept', () => {
    const workspace = lay()
    write('ws/output/result.csv', 'x\n')
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'ws/output/')), Buffer.from([0xff, 0xfe])]), 'x')
    execFileSync('bash', ['-c', 'for i in $(seq 100); do d=$(printf "x%.0s" {1..200}); mkdir $d; cd $d; done'], {
      cwd: join(root, 'ws/output'),
    })
    const left = workspace.snapshot(join(root, 'kept'))
    expect(left).toHaveLength(2)
    expect(left.join()).toMatch(/x: a (?:name|folder) that cannot be read, left out/)
    expect(left.join()).toMatch(/not UTF-8/)
    expect(readFileSync(join(root, 'kept/output/result.csv'), 'utf8')).toBe('x\n')
    execFileSync('rm', ['-rf', join(root, 'ws')])
  })

  test('many things left out are counted, not listed', () => {
    const workspace = lay()
    for (let number = 0; number < 60; number++) symlinkSync('/etc/passwd', join(root, `ws/output/link-${number}`))
    expect(workspace.snapshot(join(root, 'kept')).at(-1)).toBe('and 10 more')
  })

  test('stops at its number of entries', () => {
    const workspace = lay()
    execFileSync('bash', ['-c', `seq ${SNAPSHOT_LIMITS.entries + 5} | xargs touch`], { cwd: join(root, 'ws/output') })
    const left = workspace.snapshot(join(root, 'kept'))
    expect(readdirSync(join(root, 'kept/output'))).toHaveLength(SNAPSHOT_LIMITS.files)
    const beyondFiles = SNAPSHOT_LIMITS.entries - SNAPSHOT_LIMITS.files
    expect(left.at(-1)).toBe(`and ${beyondFiles + 1 - SNAPSHOT_LIMITS.named} more`)
  })

  test('stops at its size limit', () => {
    const workspace = lay()
    write('ws/output/big', '')
    truncateSync(join(root, 'ws/output/big'), SNAPSHOT_LIMITS.bytes + 1)
    expect(workspace.snapshot(join(root, 'kept'))).toEqual([
      `output/big: beyond ${SNAPSHOT_LIMITS.bytes} bytes, left out`,
    ])
    rmSync(join(root, 'ws/output/big'))
  })
})
