import { expect, test } from 'vitest'
import { fullDisks } from '../../bench/jail/disk.ts'
import { folder } from './support/jails.ts'

test('an editable path on a disk with less than the given room is full', async () => {
  const workspace = await folder()
  expect(await fullDisks(workspace, ['./'], 0)).toEqual([])
  expect(await fullDisks(workspace, ['./'], Number.MAX_SAFE_INTEGER)).toMatchObject([{ path: './' }])
})

test('a file system without room is full', async () => {
  // /proc has no blocks at all, as a disk without a free one.
  expect(await fullDisks('/', ['proc/'])).toEqual([{ path: 'proc/', freeBytes: 0, freeFiles: null }])
})
