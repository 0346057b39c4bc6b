import type { Chat, Message } from './chat.ts'

/** Tokens that the format adds to each message, and before the answer. */
const PER_MESSAGE = 4
const PER_ANSWER = 3

/** A prompt is cached from this many tokens on, in steps (as OpenAI documents its prompt caching). */
export const CACHE_MINIMUM = 1024
export const CACHE_STEP = 128

/** Longest text that is encoded at once: the encoder's time grows with the square of a run without breaks. */
const PIECE_CHARS = 2048

export interface PromptCount {
  prompt: number
  /** Tokens of the longest prefix shared with an earlier prompt, by the rule of CACHE_MINIMUM and CACHE_STEP. */
  cached: number
}

/** Counts the tokens of one attempt's requests, and what of each was in the prompt cache. */
export interface TokenCounter {
  /** Counts a request's prompt and puts it into the cache. */
  prompt(chat: Chat): PromptCount
  text(text: string): number
}

/** Loads the tokenizer (o200k_base); encodings of texts are kept, so that a growing conversation stays cheap. */
export async function tokenCounter(): Promise<TokenCounter> {
  const { encode } = await import('gpt-tokenizer/encoding/o200k_base')
  const plain = { disallowedSpecial: new Set<string>() }
  const encoded = new Map<string, readonly number[]>()
  const tokens = (text: string): readonly number[] => {
    let known = encoded.get(text)
    if (!known) {
      known = piecesOf(text).flatMap((piece) => encode(piece, plain))
      encoded.set(text, known)
    }
    return known
  }
  const earlier: (readonly string[])[] = []

  /** Tokens that two prompts share from their start; parts are compared whole, the first that differs token by token. */
  const shared = (one: readonly string[], other: readonly string[]): number => {
    let sum = 0
    for (const [index, part] of one.entries()) {
      const theirs = other[index]
      if (theirs === undefined) break
      const mine = tokens(part)
      if (part !== theirs) {
        const against = tokens(theirs)
        let same = 0
        while (same < mine.length && same < against.length && mine[same] === against[same]) same += 1
        return sum + same
      }
      sum += mine.length + PER_MESSAGE
    }
    return sum
  }

  return {
    text: (text) => (text === '' ? 0 : tokens(text).length),
    prompt(chat) {
      const parts = promptParts(chat)
      const prompt = parts.reduce((sum, part) => sum + tokens(part).length + PER_MESSAGE, PER_ANSWER)
      const prefix = earlier.reduce((longest, other) => Math.max(longest, shared(parts, other)), 0)
      earlier.push(parts)
      return { prompt, cached: prefix < CACHE_MINIMUM ? 0 : prefix - (prefix % CACHE_STEP) }
    },
  }
}

/** The prompt in the order in which it is cached: the tools, then each message. */
const promptParts = (chat: Chat): string[] => [
  ...(chat.tools?.length ? [JSON.stringify(chat.tools)] : []),
  ...chat.messages.map(messageText),
]

function messageText(message: Message): string {
  const { role, content, tool_calls: calls } = message
  const text = typeof content === 'string' ? content : content == null ? '' : partsText(content)
  return [role, text, ...(calls ?? []).map((call) => `${call.function.name} ${call.function.arguments}`)].join('\n')
}

const partsText = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part) => (typeof part?.text === 'string' ? part.text : JSON.stringify(part))).join('\n')
    : JSON.stringify(content)

/** Cuts a text into pieces of at most PIECE_CHARS, after a newline where there is one. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE_CHARS, text.length)
    if (end < text.length) {
      const newline = text.lastIndexOf('\n', end - 1)
      if (newline > start) end = newline + 1
    }
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}
