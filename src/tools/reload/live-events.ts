import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'

/** Path of the script that reloads a page. */
export const SCRIPT_PATH = '/__propylon__/live.js'

const EVENTS_PATH = '/__propylon__/events'

/**
 * Reloads the page when the server sends another state than the one in the script's own URL. A hidden page closes its
 * connection, because browsers limit the number of connections to a host.
 */
const SCRIPT = `(() => {
  const own = new URL(document.currentScript.src)
  const seen = own.searchParams.get('seen')
  let events
  const follow = () => {
    events?.close()
    if (document.hidden) return
    events = new EventSource(new URL('events', own))
    events.onmessage = ({ data }) => {
      if (data === seen) return
      events.close()
      location.reload()
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
})()
`

/** Delay between two checks of the files while a page is open. */
const INTERVAL_MILLISECONDS = 250
/** A check that takes long delays the next one by this multiple of its duration. */
const DELAY_FACTOR = 20

/**
 * Server-sent events for open pages, sent when files change. Files are polled while a page is connected: unlike file system
 * events, this works on every file system, through links and for new folders.
 */
export class LiveEvents {
  readonly #haveChanged: () => boolean
  readonly #listeners = new Set<EventStream>()
  /** Prefix of the names of states, so that they differ from the names of an earlier process. */
  readonly #process = `${Date.now().toString(36)}${process.pid.toString(36)}`
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param haveChanged - checks the files, and returns true if any has changed since the last call. */
  constructor(haveChanged: () => boolean) {
    this.#haveChanged = haveChanged
  }

  /** Checks the files and returns the name of their state. Sends a new state to all listeners. */
  state(): string {
    if (this.#haveChanged()) {
      this.#count += 1
      for (const listener of this.#listeners) listener.send(this.#name())
    }
    return this.#name()
  }

  /** Responds to a request for the script or the events. Returns undefined for any other request. */
  respond(environ: Environ, start_response: StartResponse): Body | undefined {
    const path = environ.PATH_INFO
    if (path !== SCRIPT_PATH && path !== EVENTS_PATH) return undefined
    const method = environ.REQUEST_METHOD
    if (method !== 'GET' && method !== 'HEAD') {
      start_response('405 Method Not Allowed', [
        ['Allow', 'GET, HEAD'],
        ['Content-Length', '0'],
      ])
      return []
    }
    const isScript = path === SCRIPT_PATH
    start_response('200 OK', [
      ['Content-Type', isScript ? 'text/javascript; charset=utf-8' : 'text/event-stream'],
      ['Cache-Control', 'no-store'],
    ])
    if (method === 'HEAD') return []
    return isScript ? [SCRIPT] : this.#listen()
  }

  /** Ends all event streams. A server waits for them when it closes. */
  close(): void {
    this.#isClosed = true
    for (const listener of this.#listeners) listener.close()
  }

  #name(): string {
    return `${this.#process}-${this.#count}`
  }

  #listen(): Body {
    const stream = new EventStream(() => {
      this.#listeners.delete(stream)
      if (this.#listeners.size === 0) clearTimeout(this.#timer)
    })
    stream.send(this.state())
    if (this.#isClosed) stream.close()
    else {
      this.#listeners.add(stream)
      if (this.#listeners.size === 1) this.#poll(INTERVAL_MILLISECONDS)
    }
    return stream
  }

  #poll(delay: number): void {
    this.#timer = setTimeout(() => {
      const begin = performance.now()
      this.state()
      const duration = performance.now() - begin
      this.#poll(Math.max(INTERVAL_MILLISECONDS, duration * DELAY_FACTOR))
    }, delay).unref()
  }
}

/** The events of one page. A new event replaces one that has not been sent. */
class EventStream implements AsyncIterableIterator<string> {
  readonly #closed: () => void
  #waiting: PromiseWithResolvers<IteratorResult<string>> | undefined
  #unsent: string | undefined
  #isClosed = false

  constructor(closed: () => void) {
    this.#closed = closed
  }

  send(state: string): void {
    const event = `retry: 500\ndata: ${state}\n\n`
    if (this.#waiting === undefined) this.#unsent = event
    else this.#waiting.resolve({ done: false, value: event })
    this.#waiting = undefined
  }

  async next(): Promise<IteratorResult<string>> {
    const value = this.#unsent
    this.#unsent = undefined
    if (value !== undefined) return { done: false, value }
    if (this.#isClosed) return { done: true, value: undefined }
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  async return(): Promise<IteratorResult<string>> {
    this.close()
    return { done: true, value: undefined }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting?.resolve({ done: true, value: undefined })
    this.#waiting = undefined
    this.#closed()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
