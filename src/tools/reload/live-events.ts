import { isRead } from '../../base/methods.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import { poll } from './poll.ts'

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

/** The events of one page. */
type Listener = ReadableStreamDefaultController<string>

/**
 * Server-sent events for open pages, sent when files change. Files are polled while a page is connected: unlike file
 * system events, this works on every file system, through links and for new folders.
 */
export class LiveEvents {
  readonly #haveChanged: () => boolean
  readonly #listeners = new Set<Listener>()
  /** Prefix of the names of states, so that they differ from the names of an earlier process. */
  readonly #process = `${Date.now().toString(36)}${process.pid.toString(36)}`
  #count = 0
  #stopPolling: (() => void) | undefined
  #isClosed = false

  /** @param haveChanged - checks the files, and returns true if any has changed since the last call. */
  constructor(haveChanged: () => boolean) {
    this.#haveChanged = haveChanged
  }

  /** Checks the files and returns the name of their state. Sends a new state to all listeners. */
  state(): string {
    if (this.#haveChanged()) {
      this.#count += 1
      for (const listener of this.#listeners) listener.enqueue(this.#event())
    }
    return this.#name()
  }

  /** Responds to a request for the script or the events. Returns undefined for any other request. */
  respond(environ: Environ, start_response: StartResponse): Body | undefined {
    const path = environ.PATH_INFO
    const method = environ.REQUEST_METHOD
    if (!isRead(method) || (path !== SCRIPT_PATH && path !== EVENTS_PATH)) return undefined
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
    for (const listener of this.#listeners) this.#end(listener)
  }

  #name(): string {
    return `${this.#process}-${this.#count}`
  }

  #event(): string {
    return `retry: 500\ndata: ${this.#name()}\n\n`
  }

  #listen(): Body {
    this.state()
    let listener!: Listener // Assigned by the constructor of the stream.
    const events = new ReadableStream<string>({
      start: (controller) => {
        listener = controller
      },
      cancel: () => void this.#forget(listener),
    })
    listener.enqueue(this.#event())
    this.#listeners.add(listener)
    this.#stopPolling ??= poll(() => void this.state())
    const close = () => this.#end(listener)
    if (this.#isClosed) close()
    return Object.assign(events, { close })
  }

  #end(listener: Listener): void {
    if (this.#forget(listener)) listener.close()
  }

  /** Returns true if the listener was not forgotten before. */
  #forget(listener: Listener): boolean {
    const isKnown = this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return isKnown
    this.#stopPolling?.()
    this.#stopPolling = undefined
    return isKnown
  }
}
