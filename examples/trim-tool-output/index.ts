/**
 * A pi extension that shortens old tool output before each model call: the newest messages stay whole, older tool
 * results above a size keep their head and tail. The session itself is not changed, only what is sent.
 */

/** This many messages at the end are never touched. */
export const KEEP_MESSAGES = 12
/** The boundary moves in steps of this many messages: between two steps the prompt's prefix, and its cache, stay. */
export const STEP_MESSAGES = 8
/** A tool result with fewer characters stays whole. */
export const MIN_CHARS = 2_000
export const HEAD_CHARS = 600
export const TAIL_CHARS = 600

type Part = { type: string; text?: string }
type Message = { role: string; content?: string | Part[] }
interface ExtensionApi {
  on(event: 'context', handler: (event: { messages: Message[] }) => { messages: Message[] }): void
}

export default function trimToolOutput(pi: ExtensionApi): void {
  pi.on('context', (event) => ({ messages: trimOldResults(event.messages) }))
}

/** The messages with every tool result before the boundary shortened. The input is not changed. */
export function trimOldResults(messages: Message[]): Message[] {
  const old = Math.max(0, messages.length - KEEP_MESSAGES)
  const boundary = old - (old % STEP_MESSAGES)
  return messages.map((message, index) => (index < boundary ? trimMessage(message) : message))
}

function trimMessage(message: Message): Message {
  if (message.role !== 'toolResult' || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(trimPart) }
}

function trimPart(part: Part): Part {
  const { text } = part
  if (part.type !== 'text' || text === undefined || text.length < MIN_CHARS) return part
  const left = text.length - HEAD_CHARS - TAIL_CHARS
  const note = `[... ${left} characters of this old output were left out; run the command again to see them ...]`
  return { ...part, text: `${text.slice(0, HEAD_CHARS)}\n${note}\n${text.slice(-TAIL_CHARS)}` }
}
