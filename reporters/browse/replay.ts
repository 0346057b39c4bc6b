import { join } from 'node:path'
import { test } from 'vitest'
import { annotationsOf, plain } from '../../bench/attempt/annotations.ts'
import { verdictText } from '../../bench/attempt/verdict.ts'
import { readStoredRecord } from '../collect.ts'
import { subfolders } from './runs.ts'

/**
 * Defines one test for each stored attempt of a task: it passes and fails as the attempt did, with the same annotations and
 * attachments. Running it again reads the record again; it starts nothing. `taskDir` is `results/<run id>/<task>`.
 */
export function replayTask(taskDir: string): void {
  for (const arm of subfolders(taskDir))
    for (const attempt of subfolders(join(taskDir, arm)))
      test(`${arm} ${attempt}`, async ({ annotate, skip }) => {
        const dir = join(taskDir, arm, attempt)
        const record = readStoredRecord(dir)
        for (const { message, type, attachment } of annotationsOf(record, dir))
          await annotate(message, type, attachment)
        if (record.status === 'running') skip('has not ended')
        if (record.outcome !== 'strict') throw new StoredFailure(verdictText(record))
      })
}

/** Has no stack: where it is thrown says nothing about the attempt. */
class StoredFailure extends Error {
  override name = 'Stored attempt'
  constructor(verdict: string) {
    super(
      verdict
        .split('\n')
        .map((line) => plain(line))
        .join('\n'),
    )
    this.stack = ''
  }
}
