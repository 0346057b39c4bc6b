/** Why a call was given up, as its abort reason. */
export class GivenUp extends Error {
  constructor(
    readonly by: 'agent' | 'silence' | 'close',
    message: string,
  ) {
    super(message)
  }
}

/** Waits for a provider no longer than `idleMs` at a time, and never beyond the abort of the call. */
export class Patience {
  readonly signal: AbortSignal
  private timer: NodeJS.Timeout | null = null
  private readonly aborted: Promise<never>

  constructor(
    private readonly idleMs: number,
    private readonly abort: AbortController,
  ) {
    this.signal = abort.signal
    this.aborted = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true })
    })
    this.aborted.catch(() => {})
  }

  /** The promise's value, or a rejection when the call is aborted first. */
  unlessAborted<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => {})
    return Promise.race([promise, this.aborted])
  }

  async wait<T>(promise: Promise<T>): Promise<T> {
    this.timer = setTimeout(() => {
      this.abort.abort(new GivenUp('silence', `the provider sent nothing for ${this.idleMs / 1000} s`))
    }, this.idleMs)
    try {
      return await this.unlessAborted(promise)
    } finally {
      this.end()
    }
  }

  async *chunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = body[Symbol.asyncIterator]()
    let done = false
    try {
      while (true) {
        const step = await this.wait(iterator.next())
        if (step.done) {
          done = true
          return
        }
        yield step.value
      }
    } finally {
      // Not awaited: a body that ignores the abort must not hold the call.
      if (!done) iterator.return?.().catch(() => {})
    }
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }
}
