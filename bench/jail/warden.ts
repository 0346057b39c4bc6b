import type { Duplex } from 'node:stream'
import { z } from 'zod'

const EventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready'), pid_namespace: z.int() }),
  z.object({ event: z.literal('forwarding'), port: z.int() }),
  z.object({ event: z.literal('output'), id: z.string(), stream: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({ event: z.literal('exit'), id: z.string(), code: z.int() }),
  z.object({ event: z.literal('failed'), id: z.string().nullable(), error: z.string() }),
  z.object({ event: z.literal('end'), by: z.enum(['processes', 'resident_bytes']).nullable(), detail: z.string() }),
])
/** What the warden reports; `benchlib/warden.py` describes the protocol. */
export type WardenEvent = z.infer<typeof EventSchema>

/** The owner's end of the warden's control stream. */
export class Warden {
  readonly #control: Duplex
  readonly #listeners = new Set<(event: WardenEvent | null) => void>()
  readonly #past: WardenEvent[] = []
  #unread = ''
  #gone = false

  constructor(control: Duplex) {
    this.#control = control
    control.setEncoding('utf8')
    control.on('data', (text: string) => this.#take(text))
    control.on('close', () => this.#leave())
    control.on('end', () => this.#leave())
    control.on('error', () => this.#leave())
  }

  /** Sends a request; without a warden, nothing. */
  ask(request: { do: string } & Record<string, unknown>): void {
    if (!this.#gone && this.#control.writable) this.#control.write(`${JSON.stringify(request)}\n`)
  }

  /** Ends the control stream, and with it everything in the jail. */
  end(): void {
    this.#control.end()
  }

  /** Calls back with every event, past ones first, and with null when there will be no more. */
  listen(callback: (event: WardenEvent | null) => void): void {
    for (const event of this.#past) callback(event)
    if (this.#gone) callback(null)
    else this.#listeners.add(callback)
  }

  /** The first event for which `pick` gives a value; null when the warden ends before that. */
  first<T>(pick: (event: WardenEvent) => T | undefined): Promise<T | null> {
    return new Promise((resolve) => {
      this.listen((event) => {
        const picked = event === null ? null : pick(event)
        if (picked !== undefined) resolve(picked)
      })
    })
  }

  #take(text: string): void {
    const lines = (this.#unread + text).split('\n')
    this.#unread = lines.pop() ?? ''
    for (const line of lines) {
      const event = EventSchema.parse(JSON.parse(line))
      if (event.event !== 'output') this.#past.push(event)
      for (const callback of [...this.#listeners]) callback(event)
    }
  }

  #leave(): void {
    if (this.#gone) return
    this.#gone = true
    for (const callback of [...this.#listeners]) callback(null)
  }
}
