import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { folderWith, python, writeFiles } from './python.ts'

let root = ''
let cleanup = async () => {}
beforeEach(async () => {
  ;({ path: root, cleanup } = await folderWith({
    'outside/secret': 'secret',
    'clean/inputs/a': 'a',
    'clean/state/b': 'b',
  }))
})
afterEach(() => cleanup())

/** Copies `path` of work/ to copy/; what it refused, if anything. */
const copyWork = (path: string, setting = '') =>
  python(
    `
from pathlib import Path
from benchlib import layout
from benchlib.beneath import Unreadable
${setting}
root = Path(sys.argv[1])
try:
    layout.copy_work(root / "work", root / "copy", sys.argv[2])
except Unreadable as error:
    print(error)
`,
    [root, path],
  )

const layTree = () =>
  python(
    `
from pathlib import Path
from benchlib import layout
root = Path(sys.argv[1])
layout.lay_tree(root / "clean", root / "laid", editable=("state/",))
`,
    [root],
  )

describe('copies of a candidate’s work', () => {
  test('refuse a folder that the judge may not open', async () => {
    await writeFiles(root, { 'work/solution/locked/main.py': 'x' })
    await chmod(`${root}/work/solution/locked`, 0o000)
    await chmod(root, 0o777)
    const asNobody = 'import os\nif os.geteuid() == 0:\n    os.seteuid(65534)'
    expect(await copyWork('solution/', asNobody)).toBe(
      'solution/locked: expected a folder that is no link, permission denied',
    )
  })

  test('hold regular files, no links, no pipes, no code caches', async () => {
    await writeFiles(root, {
      'work/solution/main.py': 'x',
      'work/solution/deep/er/helper.py': 'y',
      'work/solution/__pycache__/main.pyc': 'z',
      'work/solution/deep/__pycache__/helper.pyc': 'z',
      'work/other/ignored': '',
    })
    await symlink(`${root}/outside`, `${root}/work/solution/folder`)
    await symlink(`${root}/outside/secret`, `${root}/work/solution/file`)
    execFileSync('mkfifo', [`${root}/work/solution/pipe`])
    await chmod(`${root}/work/solution/main.py`, 0o777)
    expect(await copyWork('solution/')).toBe('')
    const copied = await readdir(`${root}/copy`, { recursive: true })
    expect(copied.sort()).toEqual([
      'solution',
      'solution/deep',
      'solution/deep/er',
      'solution/deep/er/helper.py',
      'solution/main.py',
    ])
    expect((await stat(`${root}/copy/solution/main.py`)).mode & 0o777).toBe(0o755)
  })

  test('are refused when they would be too many, too large or too deep', async () => {
    await writeFiles(root, { 'work/solution/a': 'xx', 'work/solution/b': 'xx', 'work/solution/c/d': 'x' })
    expect(await copyWork('solution/', 'layout.COPY_ENTRIES_LIMIT = 3')).toContain('more than 3 files and folders')
    expect(await copyWork('solution/', 'layout.COPY_BYTES_LIMIT = 3')).toContain('2 bytes, expected at most 1')
    expect(await copyWork('solution/', 'layout.COPY_DEPTH_LIMIT = 1')).toContain('nested deeper than 1')
  })

  test('of what is missing or of another kind are empty', async () => {
    await writeFiles(root, { 'work/solution': 'a file', 'work/app/main.py/x': '' })
    for (const path of ['solution/', 'app/main.py', 'gone/', 'gone/too/']) expect(await copyWork(path)).toBe('')
    expect(await readdir(root)).not.toContain('copy')
  })
})

describe('a clean tree', () => {
  test('is hard-linked, but copied and writable where the candidate may write', async () => {
    await mkdir(`${root}/laid`)
    await layTree()
    expect((await stat(`${root}/laid/inputs/a`)).ino).toBe((await stat(`${root}/clean/inputs/a`)).ino)
    expect((await stat(`${root}/laid/state/b`)).ino).not.toBe((await stat(`${root}/clean/state/b`)).ino)
    expect((await stat(`${root}/laid/state/b`)).mode & 0o777).toBe(0o644)
  })

  test('laid over a used workspace follows no link that the candidate left', async () => {
    await mkdir(`${root}/laid`)
    await symlink(`${root}/outside`, `${root}/laid/state`)
    await layTree()
    expect(await readdir(`${root}/outside`)).toEqual(['secret'])
    expect(await readFile(`${root}/laid/state/b`, 'utf8')).toBe('b')
    await expect(readlink(`${root}/laid/state`)).rejects.toThrow('EINVAL')
  })

  test('laid over a link to a file or over a folder replaces it', async () => {
    await mkdir(join(root, 'laid/inputs/a/b'), { recursive: true })
    await mkdir(join(root, 'laid/state'))
    await symlink(`${root}/outside/secret`, `${root}/laid/state/b`)
    await layTree()
    expect(await readFile(`${root}/outside/secret`, 'utf8')).toBe('secret')
    expect(await readFile(`${root}/laid/inputs/a`, 'utf8')).toBe('a')
  })
})

test('a working folder is removed at the end, and one of a killed owner by the next', async () => {
  const left = `${root}/cache/judging/judge-killed`
  await writeFiles(left, { file: '' })
  const listed = await python(
    `
import os
from benchlib import layout
layout.YOUNG_SECONDS = 0
with layout.working_folder("judge") as mine, layout.working_folder("judge") as other:
    print(len(os.listdir(mine.parent)), mine.exists(), other.exists(), mine != other)
`,
    [],
    { RW30_CACHE: `${root}/cache` },
  )
  expect(listed).toBe('2 True True True')
  expect(await readdir(`${root}/cache/judging`)).toEqual([])
})
