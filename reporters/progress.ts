import type { TestCase } from 'vitest/node'
import { plain } from './text.ts'

/** Type of the annotations and artifacts that say how far a running attempt is; no others are printed. */
export const PROGRESS_TYPE = 'rw30-progress'

/** At most one line in this time for each test, so that a chatty agent does not fill the terminal. */
export const PROGRESS_INTERVAL_MS = 10_000

/** Prints how far long attempts are: a line when the text of a test has changed, not more often than the interval. */
export class Progress {
  readonly #last = new Map<string, { text: string; at: number }>()

  constructor(
    private readonly print: (line: string) => void,
    private readonly intervalMs = PROGRESS_INTERVAL_MS,
    private readonly now: () => number = Date.now,
  ) {}

  /** Takes one progress text of a test. A stage that changes is shown at once: `stage 2/4 …` is compared by its first two words. */
  note(test: Pick<TestCase, 'id' | 'fullName'>, message: string): void {
    const text = plain(message, 200)
    const last = this.#last.get(test.id)
    if (last?.text === text) return
    const sameStage = last && stageOf(last.text) === stageOf(text)
    if (sameStage && this.now() - last.at < this.intervalMs) return
    this.#last.set(test.id, { text, at: this.now() })
    this.print(`${plain(test.fullName)}: ${text}`)
  }

  /** Forgets a test that has ended. */
  end(test: Pick<TestCase, 'id'>): void {
    this.#last.delete(test.id)
  }
}

function stageOf(text: string): string {
  return text.split(' ', 2).join(' ')
}
