const NEWLINE = 0x0a
/** How much of a line is seen before it is decided whether anybody wants the rest. */
const HEAD_BYTES = 64

export interface LineSplitterOptions {
  /** A longer line ends the reading: `onTooLong` is called once, and everything after it is discarded. */
  maxLineBytes: number
  /** Decides by a line's first bytes (at most 64) that it is counted but neither kept nor decoded. */
  skip: (head: string) => boolean
  onLine: (line: string) => void
  onTooLong: (bytes: number) => void
}

/**
 * Splits a byte stream at "\n" and nothing else (U+2028 is an ordinary character inside JSON). A carriage return before
 * it is removed. Holds at most one line, and of a skipped line only its head.
 */
export class LineSplitter {
  #pieces: Buffer[] = []
  #bytes = 0
  #wanted: boolean | null = null
  #closed = false

  constructor(readonly options: LineSplitterOptions) {}

  push(chunk: Buffer): void {
    let start = 0
    while (!this.#closed && start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start)
      this.#add(chunk.subarray(start, newline === -1 ? chunk.length : newline))
      if (newline === -1) return
      this.#finish()
      start = newline + 1
    }
  }

  /** The stream has ended: a last line without "\n" still counts. */
  end(): void {
    if (!this.#closed && this.#bytes > 0) this.#finish()
    this.close()
  }

  close(): void {
    this.#closed = true
    this.#pieces = []
  }

  #add(piece: Buffer) {
    this.#bytes += piece.length
    if (this.#bytes > this.options.maxLineBytes) {
      this.close()
      return this.options.onTooLong(this.#bytes)
    }
    if (this.#wanted === false) return
    this.#pieces.push(piece)
    if (this.#wanted === null && this.#bytes >= HEAD_BYTES) this.#decide()
  }

  #decide() {
    this.#wanted = !this.options.skip(Buffer.concat(this.#pieces).toString('latin1', 0, HEAD_BYTES))
    if (!this.#wanted) this.#pieces = []
  }

  #finish() {
    if (this.#closed) return
    if (this.#wanted === null) this.#decide()
    const line = this.#wanted ? Buffer.concat(this.#pieces).toString('utf8') : null
    this.#pieces = []
    this.#bytes = 0
    this.#wanted = null
    if (line !== null) this.options.onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}
