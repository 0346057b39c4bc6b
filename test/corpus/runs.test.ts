import { expect, test } from 'vitest'
import { python } from './python.ts'

/** What `spent_seconds` says after runs that ended at a time and took so many seconds. */
const spent = async (...runs: [ended: number, seconds: number][]): Promise<number> =>
  Number(
    await python(
      `
import json
from types import SimpleNamespace
from benchlib import runs
for at, seconds in json.loads(sys.argv[1]):
    runs.time = SimpleNamespace(monotonic=lambda: at)
    done = dict(returncode=0, stdout=b"", stderr=b"", ended_by=None, services={})
    runs.ended(["python"], SimpleNamespace(seconds=seconds, **done), 60)
print(runs.spent_seconds())
`,
      [JSON.stringify(runs)],
    ),
  )

test('the candidate’s time is that of its runs; runs beside each other count once', async () => {
  expect(await spent()).toBe(0)
  expect(await spent([103, 2], [110, 4])).toBe(6)
  expect(await spent([103, 2], [104, 2])).toBe(3)
  expect(await spent([110, 1], [111, 9], [108, 2], [114, 1])).toBe(10)
})
