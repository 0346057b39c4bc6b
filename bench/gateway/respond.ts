import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Sends a JSON document and waits until it is written. */
export async function sendJson(response: ServerResponse, status: number, value: unknown): Promise<void> {
  const body = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
  if (!response.writableFinished && !response.destroyed)
    await Promise.race([once(response, 'finish'), once(response, 'close')])
}

/** Sends an error in the shape that chat-completions clients read. */
export const sendError = (response: ServerResponse, status: number, code: string, message: string): Promise<void> =>
  sendJson(response, status, { error: { message, type: 'gateway_error', code } })
