/** What a copy of an answer tells once it has ended. */
export interface AnswerFacts {
  /** The usage object, untouched; null when there was none. */
  usage: Record<string, unknown> | null
  /** Why the answer is not complete; null when it is. */
  problem: string | null
}

/** Reads a copy of an answer while the answer itself passes by. */
export interface AnswerReader {
  push(chunk: Uint8Array): void
  end(): AnswerFacts
}

/** A reader for a successful answer of the given content type; it keeps no more than `copyBytes` at a time. */
export const answerReader = (contentType: string, copyBytes: number): AnswerReader =>
  contentType.includes('text/event-stream') ? streamReader(copyBytes) : documentReader(copyBytes)

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function documentReader(copyBytes: number): AnswerReader {
  const chunks: Uint8Array[] = []
  let bytes = 0
  return {
    push(chunk) {
      bytes += chunk.length
      if (bytes <= copyBytes) chunks.push(chunk)
    },
    end() {
      if (bytes > copyBytes) return { usage: null, problem: null }
      try {
        const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        if (!isObject(answer) || !Array.isArray(answer.choices))
          return { usage: null, problem: describeError(answer) ?? 'the answer is no chat completion' }
        return { usage: isObject(answer.usage) ? answer.usage : null, problem: null }
      } catch {
        return { usage: null, problem: 'the answer is no JSON' }
      }
    },
  }
}

/** Server-sent events: the last usage object counts, and `[DONE]` or a finish reason makes the answer complete. */
function streamReader(copyBytes: number): AnswerReader {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let usage: Record<string, unknown> | null = null
  let finished = false
  let problem: string | null = null

  const readLine = (line: string): void => {
    if (!line.startsWith('data:')) return
    const data = line.slice('data:'.length).trim()
    if (data === '[DONE]') {
      finished = true
      return
    }
    let event: unknown
    try {
      event = JSON.parse(data)
    } catch {
      problem ??= 'the stream holds an event that is no JSON'
      return
    }
    if (!isObject(event)) return
    problem ??= describeError(event)
    if (isObject(event.usage)) usage = event.usage
    const choices = Array.isArray(event.choices) ? event.choices : []
    if (choices.some((choice) => isObject(choice) && choice.finish_reason)) finished = true
  }
  const takeLine = (): void => {
    if (pendingBytes <= copyBytes) readLine(Buffer.concat(pending).toString('utf8'))
    pending = []
    pendingBytes = 0
  }
  const keep = (part: Uint8Array): void => {
    pendingBytes += part.length
    if (pendingBytes <= copyBytes) pending.push(part)
  }

  return {
    push(chunk) {
      let start = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        keep(chunk.subarray(start, end))
        takeLine()
        start = end + 1
      }
      if (start < chunk.length) keep(chunk.subarray(start))
    },
    end() {
      takeLine()
      return { usage, problem: problem ?? (finished ? null : 'the stream ended before the answer was finished') }
    },
  }
}

/** The error that a provider put into an answer with status 200, if there is one. */
function describeError(answer: unknown): string | null {
  if (!isObject(answer) || !answer.error) return null
  const { error } = answer
  const message = isObject(error) && typeof error.message === 'string' ? error.message : JSON.stringify(error)
  return `the provider sent an error: ${message}`
}
