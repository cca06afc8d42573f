/** Tells open pages when the files that they are made of have changed. */
import type { Body, Environ, StartResponse } from '../wsgi/types.ts'
import { EVENTS_PATH, SCRIPT, SCRIPT_PATH } from './live-script.ts'

/** How often files are looked at while a page is open. */
const INTERVAL_MILLISECONDS = 250
/** On a slow disk looking takes at most this part of the time. */
const SHARE_OF_TIME = 20

/**
 * The events for open pages. Files are looked at again and again only while a page listens: this works on every file
 * system, through links and for folders that come later.
 */
export class LiveEvents {
  readonly #haveChanged: () => boolean
  readonly #listeners = new Set<EventStream>()
  /** Tells the states of this process from those of one before it. */
  readonly #process = `${Date.now().toString(36)}${process.pid.toString(36)}`
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param haveChanged - looks at the files, and tells whether any has changed since the last look. */
  constructor(haveChanged: () => boolean) {
    this.#haveChanged = haveChanged
  }

  /** The name of the state in which the files are now. Listeners hear of a new one. */
  state(): string {
    if (this.#haveChanged()) {
      this.#count += 1
      for (const listener of this.#listeners) listener.tell(this.#name())
    }
    return this.#name()
  }

  /** The answer to a request for the script or the events; undefined for any other request. */
  answer(environ: Environ, start_response: StartResponse): Body | undefined {
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

  /** Ends all events, so that a server can end. */
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
    stream.tell(this.state())
    if (this.#isClosed) stream.close()
    else {
      this.#listeners.add(stream)
      if (this.#listeners.size === 1) this.#lookAgain(INTERVAL_MILLISECONDS)
    }
    return stream
  }

  #lookAgain(delay: number): void {
    this.#timer = setTimeout(() => {
      const begin = performance.now()
      this.state()
      const duration = performance.now() - begin
      this.#lookAgain(Math.max(INTERVAL_MILLISECONDS, duration * SHARE_OF_TIME))
    }, delay).unref()
  }
}

/** One page's events. A newer one takes the place of one that has not been sent. */
class EventStream implements AsyncIterableIterator<string> {
  readonly #closed: () => void
  #waiting: PromiseWithResolvers<IteratorResult<string>> | undefined
  #untold: string | undefined
  #isClosed = false

  constructor(closed: () => void) {
    this.#closed = closed
  }

  tell(state: string): void {
    const event = `retry: 500\ndata: ${state}\n\n`
    if (this.#waiting === undefined) this.#untold = event
    else this.#waiting.resolve({ done: false, value: event })
    this.#waiting = undefined
  }

  async next(): Promise<IteratorResult<string>> {
    const value = this.#untold
    this.#untold = undefined
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
