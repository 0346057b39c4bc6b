import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** What an agent and its services may print to their logs; the rest is dropped. */
const LOG_LIMIT_BYTES = 4 * 2 ** 20

/**
 * Writes files of an attempt's folder from callbacks, where nobody could catch a failure: the first one is kept, and the
 * attempt ends for it, as what it costs from then on would be lost.
 */
export class AttemptLogs {
  readonly #failed = new AbortController()

  constructor(private readonly dir: string) {}

  /** Aborts when something cannot be written; its reason is an Error that says what. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  append(file: string, text: string): void {
    this.keep(() => appendFileSync(join(this.dir, file), text))
  }

  /** Does what writes, and notes its failure. */
  keep(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    this.#failed.abort(new Error(`the attempt’s files cannot be written: ${(error as Error).message}`))
  }

  /** Appends text to a file up to a limit, then says once that it was reached. */
  capped(file: string, redact: (text: string) => string): (text: string) => void {
    let left = LOG_LIMIT_BYTES
    return (text) => {
      if (left <= 0) return
      const part = redact(text).slice(0, left)
      left -= Buffer.byteLength(part)
      this.append(file, left > 0 ? part : `${part}\n[the rest was dropped: ${LOG_LIMIT_BYTES} bytes are kept]\n`)
    }
  }
}

/** Gives everything that a stream brings to `log`. */
export function keepLog(stream: Readable, log: (text: string) => void): void {
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => log(text))
  stream.on('error', () => {})
}
