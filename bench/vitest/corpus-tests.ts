import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { findPython } from '../jail/python.ts'
import { FIXTURES_GEN } from '../paths.ts'

const CASE_TIMEOUT_MS = 15 * 60_000

const CaseSchema = z.object({ name: z.string() })

/** Defines the proofs of a task folder: its reference, levels, near misses and twin, as fixtures-gen/prove.py lists them. */
export async function define(folder: string): Promise<void> {
  const python = (await findPython()).path
  const scale = process.env.RW30_SCALE || 'small'
  const prove = (...args: string[]) =>
    execa(python, ['-E', '-S', join(FIXTURES_GEN, 'prove.py'), '--task', folder, ...args], { reject: false })
  const listed = await prove('list')
  if (listed.exitCode !== 0) throw new Error(`${folder}: prove.py list failed: ${listed.stderr}`)
  const task = folder.split('/').at(-1)
  for (const { name } of z.array(CaseSchema).parse(JSON.parse(listed.stdout)))
    test.concurrent(`${task} ${name}`, { timeout: CASE_TIMEOUT_MS }, async () => {
      const result = await prove('run', name, '--scale', scale)
      expect(result.exitCode, result.stderr || result.stdout).toBe(0)
    })
}
