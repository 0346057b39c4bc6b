import { z } from 'zod'

/** What the rehearsal model reads of a chat-completions request; everything else is ignored. */
const MessageSchema = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
})
export type Message = z.infer<typeof MessageSchema>

const ToolSchema = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }).optional(),
})
export type Tool = z.infer<typeof ToolSchema>

export const ChatSchema = z.looseObject({
  model: z.string(),
  messages: z.array(MessageSchema),
  tools: z.array(ToolSchema).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})
export type Chat = z.infer<typeof ChatSchema>

/** The text of a message: its content, or the text parts of it, a line each. */
export function textOf(message: Message): string {
  const { content } = message
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}

/** A shell tool: its name, and the arguments that it requires beside `command`. */
export interface ShellTool {
  name: string
  others: Record<string, string>
}

/** The function tool that takes a `command` string; among several, one that is named like a shell. null when there is none. */
export function shellTool(tools: readonly Tool[]): ShellTool | null {
  const shells = tools.flatMap((tool) => {
    const parameters = tool.function?.parameters as
      | { properties?: Record<string, { type?: unknown } | undefined>; required?: unknown }
      | undefined
    if (!tool.function || parameters?.properties?.command?.type !== 'string') return []
    const required = Array.isArray(parameters.required) ? parameters.required : []
    const others = required.filter((name) => name !== 'command' && parameters.properties?.[name]?.type === 'string')
    return [{ name: tool.function.name, others: Object.fromEntries(others.map((name) => [name, 'rehearsal'])) }]
  })
  return shells.find((tool) => /sh(?:ell)?\b|bash|exec|command/i.test(tool.name)) ?? shells[0] ?? null
}
