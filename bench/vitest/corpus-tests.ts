import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { loadTask } from '../corpus/load.ts'
import { findPython, ISOLATED } from '../jail/python.ts'
import { FIXTURES_GEN } from '../paths.ts'
import { Prover } from './prover.ts'

const CASE_TIMEOUT_MS = 15 * 60_000
/** Cases at a time of a task with services: they wait for servers most of their time. */
const WAITING_CASES = 8

const CaseSchema = z.object({ name: z.string() })

/** Defines the proofs of a task folder: its reference, levels, near misses and twin, as fixtures-gen/prove.py lists them. */
export async function define(folder: string): Promise<void> {
  const python = (await findPython()).path
  const list = [...ISOLATED, join(FIXTURES_GEN, 'prove.py'), folder, 'list']
  const listed = await execa(python, list, { reject: false })
  if (listed.exitCode !== 0) throw new Error(`${folder}: prove.py list failed: ${listed.stderr}`)
  const { name: task, scenario } = loadTask(folder)
  if (scenario.services?.length) vi.setConfig({ maxConcurrency: WAITING_CASES })

  let prover: Prover | undefined
  afterAll(() => prover?.end())
  for (const { name } of z.array(CaseSchema).parse(JSON.parse(listed.stdout)))
    test.concurrent(`${task} ${name}`, { timeout: CASE_TIMEOUT_MS }, async () => {
      prover ??= new Prover(python, folder, process.env.RW30_SCALE || 'small')
      const problems = await prover.run(name)
      expect(problems, problems.join('\n')).toEqual([])
    })
}
