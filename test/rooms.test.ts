import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { REPO } from '../bench/paths.ts'

/** Who may import whom (docs/design.md): a room that is not named beside another may not be imported by it. */
const ARROWS: Record<string, string[]> = {
  'bench/vitest': [
    ...[
      'bench/attempt',
      'bench/corpus',
      'bench/jail',
      'bench/hosts',
      'bench/gateway',
      'bench/agents',
      'bench/rehearsal',
    ],
    ...['bench', 'config'],
  ],
  'bench/attempt': [
    'bench/corpus',
    'bench/jail',
    'bench/agents',
    'bench/gateway',
    'bench/rehearsal',
    'bench/hosts',
    'bench',
  ],
  'bench/agents': ['bench/jail', 'bench/gateway'],
  'bench/rehearsal': ['bench/gateway', 'bench/corpus'],
  'bench/gateway': [],
  'bench/jail': ['bench'],
  'bench/corpus': ['bench/jail', 'bench'],
  'bench/hosts': ['bench', 'config'],
  'bench/setup': ['bench/jail'],
  bench: ['bench/gateway', 'bench/hosts'],
  reporters: ['bench/attempt', 'bench/corpus', 'bench/gateway', 'bench/vitest', 'bench', 'config'],
}

/** `bench/jail` of bench/jail/jail.ts; `bench` of a file beside the rooms; `config` of the user's configuration. */
function roomOf(path: string): string {
  if (path === 'rw30.config.ts') return 'config'
  const [top, room, ...rest] = path.split('/')
  if (top === 'bench') return rest.length > 0 ? `bench/${room}` : 'bench'
  return top!
}

const files = ['bench', 'reporters'].flatMap((root) =>
  readdirSync(join(REPO, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(root, path)),
)

test.each(files)('%s imports only what its room may', (file) => {
  const text = readFileSync(join(REPO, file), 'utf8')
  const imported = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path!)),
  )
  const room = roomOf(file)
  const wrong = imported.filter((path) => roomOf(path) !== room && !ARROWS[room]?.includes(roomOf(path)))
  expect(wrong).toEqual([])
})

test('tasks are data: nothing imports a task', () => {
  for (const file of files) expect(readFileSync(join(REPO, file), 'utf8')).not.toMatch(/from '[^']*tasks\//)
})
