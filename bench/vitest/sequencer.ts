import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { loadTask } from '../corpus/load.ts'

/** Seconds that a task may take; 0 for a file that is no task. */
function weight(specification: TestSpecification): number {
  const { moduleId } = specification
  if (!moduleId.endsWith('/scenario.json')) return 0
  try {
    return loadTask(moduleId.slice(0, -'/scenario.json'.length)).scenario.timeout_seconds
  } catch {
    return 0
  }
}

const byWeight = (files: TestSpecification[]): TestSpecification[] =>
  files
    .map((file) => ({ file, weight: weight(file) }))
    .sort((a, b) => b.weight - a.weight || a.file.moduleId.localeCompare(b.file.moduleId))
    .map(({ file }) => file)

/** The longest class first, so that no long task starts last; shards get every n-th of that order, so that they are alike. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return byWeight(files)
  }

  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const shard = this.ctx.config.shard
    if (!shard) return files
    return byWeight(files).filter((_, position) => position % shard.count === shard.index - 1)
  }
}
