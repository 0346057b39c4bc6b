/** What the model says in one turn. */
export type Turn = { text: string } | { tool: { id: string; name: string; arguments: string } }

/** Usage in the words of the chat-completions format; prompt_tokens includes the cached ones. */
export interface WireUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
}

export interface Answer {
  id: string
  model: string
  turn: Turn
  usage: WireUsage | null
}

/** Characters of a streamed piece: few pieces, because some agents repeat the whole message with each. */
const PIECE_CHARS = 8192

/** A fixed time: answers to the same requests are the same bytes. */
const CREATED = 1_767_225_600

/** The answer as one JSON document. */
export function answerDocument({ id, model, turn, usage }: Answer): string {
  const message =
    'text' in turn
      ? { role: 'assistant', content: turn.text }
      : { role: 'assistant', content: null, tool_calls: [toolCall(turn.tool)] }
  return JSON.stringify({
    id,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason(turn) }],
    ...(usage && { usage }),
  })
}

/** The answer as server-sent events, one string each; the usage chunk only when it was asked for. */
export function answerEvents({ id, model, turn, usage }: Answer, includeUsage: boolean): string[] {
  const event = (fields: object) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: CREATED, model, ...fields })}\n\n`
  const delta = (change: object) => event({ choices: [{ index: 0, delta: change, finish_reason: null }] })
  const start =
    'text' in turn
      ? { role: 'assistant', content: '' }
      : { role: 'assistant', content: null, tool_calls: [{ index: 0, ...toolCall({ ...turn.tool, arguments: '' }) }] }
  const pieces =
    'text' in turn
      ? cut(turn.text).map((content) => ({ content }))
      : cut(turn.tool.arguments).map((part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] }))
  return [
    delta(start),
    ...pieces.map(delta),
    event({ choices: [{ index: 0, delta: {}, finish_reason: finishReason(turn) }] }),
    ...(includeUsage && usage ? [event({ choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ]
}

const toolCall = (tool: { id: string; name: string; arguments: string }) => ({
  id: tool.id,
  type: 'function',
  function: { name: tool.name, arguments: tool.arguments },
})

const finishReason = (turn: Turn): string => ('text' in turn ? 'stop' : 'tool_calls')

const cut = (text: string): string[] => {
  const pieces: string[] = []
  for (let start = 0; start < text.length; start += PIECE_CHARS) pieces.push(text.slice(start, start + PIECE_CHARS))
  return pieces
}
