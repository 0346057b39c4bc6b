import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { REHEARSAL_MODEL, type RehearsalModel } from './model.ts'

/** A rehearsal model as a server of its own on the loopback. */
export interface RehearsalServer {
  /** Ends in /v1. */
  baseUrl: string
  close(): Promise<void>
}

/** Serves a rehearsal model on 127.0.0.1; port 0 takes any free one. No key is asked for. */
export async function serveRehearsal(model: RehearsalModel, port = 0): Promise<RehearsalServer> {
  const server = createServer(async (request, response) => {
    try {
      if (request.method === 'GET' && request.url === '/v1/models')
        sendJson(response, 200, {
          object: 'list',
          data: [{ id: REHEARSAL_MODEL.id, object: 'model', created: 0, owned_by: REHEARSAL_MODEL.provider }],
        })
      else if (request.method === 'POST' && request.url === '/v1/chat/completions')
        await answer(model, await buffer(request), response)
      else
        sendJson(response, 404, {
          error: { message: `${request.method} ${request.url} is not served`, type: 'not_found' },
        })
    } catch {
      // What was written is still on its way to the socket.
      setImmediate(() => response.destroy())
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(model: RehearsalModel, body: Buffer, response: ServerResponse): Promise<void> {
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  const { status, headers, body: chunks } = await model.handle({ body, signal: abort.signal })
  response.writeHead(status, headers)
  for await (const chunk of chunks) if (!response.write(chunk)) await once(response, 'drain', { signal: abort.signal })
  response.end()
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
