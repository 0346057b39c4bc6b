import type { Message } from './chat.ts'
import { textOf } from './chat.ts'
import type { Script } from './script.ts'

/** A turn of a script: index of the stage, number of the step from 1. */
export interface Place {
  stage: number
  step: number
}

export const callId = (stageId: string, step: number): string => `call_${stageId}_${step}`

/**
 * Which turn of the script a conversation asks for, told from its messages: the stage whose message came last, and the step after
 * the last one whose result is there. Where a compaction took the evidence away, `served` (the last turn that was answered)
 * stands in for it. Stages never go back.
 */
export function placeOf(script: Script, messages: readonly Message[], served: Place | null): Place {
  const seen = lastStageMessage(script, messages)
  const stage = Math.max(seen?.stage ?? 0, served?.stage ?? 0)
  const steps = script.stages[stage]!.steps.length
  const done = lastResult(script.stages[stage]!.id, messages)
  const capped = (step: number): Place => ({ stage, step: Math.min(step, steps) })
  if (done > 0) return capped(done + 1)
  const justSent = seen?.stage === stage && !messages.slice(seen.index + 1).some((message) => message.role !== 'user')
  if (justSent || served?.stage !== stage) return capped(1)
  return capped(served.step + 1)
}

/** The stage message that occurs last in the user's messages, the longest where several end at the same place. */
function lastStageMessage(script: Script, messages: readonly Message[]): { stage: number; index: number } | null {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]!
    if (message.role !== 'user') continue
    const text = textOf(message)
    const found = script.stages
      .map((stage, number) => ({ stage: number, at: text.lastIndexOf(stage.message), length: stage.message.length }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => a.at + a.length - (b.at + b.length) || a.length - b.length)
      .at(-1)
    if (found) return { stage: found.stage, index }
  }
  return null
}

/** The highest step of a stage whose tool result is among the messages; 0 when there is none. */
function lastResult(stageId: string, messages: readonly Message[]): number {
  const prefix = callId(stageId, 0).slice(0, -1)
  let last = 0
  for (const { role, tool_call_id: id } of messages) {
    if (role !== 'tool' || !id?.startsWith(prefix)) continue
    const step = Number(id.slice(prefix.length))
    if (Number.isInteger(step)) last = Math.max(last, step)
  }
  return last
}
