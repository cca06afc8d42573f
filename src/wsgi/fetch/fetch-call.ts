import { environKey } from '../environ.ts'
import { ClientDisconnected } from '../error-reporting.ts'
import type { Environ, ServerConnection } from '../types.ts'

/** A web request that is being served: `environ['propylon.fetch']`. */
export class FetchCall implements ServerConnection {
  readonly request: globalThis.Request
  /** Further arguments of the platform. */
  readonly platform: readonly unknown[]
  /** Whether a server of Bun or Deno received the request. Tests and other platforms call a handler without one. */
  readonly isServed: boolean
  /** Always undefined: the platform does not report its shutdown. */
  readonly closing = undefined
  /** Whether the head of the response has gone to the platform. */
  hasBegun = false
  #isOver = false
  #lost: ((reason: Error) => void)[] | undefined = undefined

  constructor(request: globalThis.Request, platform: readonly unknown[]) {
    this.request = request
    this.platform = platform
    const [info] = platform
    this.isServed = typeof info === 'object' && info !== null && ('remoteAddr' in info || 'requestIP' in info)
  }

  get isAbandoned(): boolean {
    return this.request.signal.aborted && !this.hasBegun
  }

  /** Adds this request, its header fields and the client's address to its environ. */
  attach(environ: Environ): void {
    environ['propylon.fetch'] = this
    environ['propylon.connection'] = this
    const [info] = this.platform
    if (typeof info === 'object' && info !== null && 'requestIP' in info) {
      Object.defineProperty(environ, 'REMOTE_ADDR', ADDRESS_ON_BUN)
    } else environ.REMOTE_ADDR = this.address
    // The platform has joined repeated fields. On Deno forEach() costs an eighth of iteration, and reading one field
    // beside it a quarter of a small request.
    this.request.headers.forEach((value, name) => {
      const key = environKey(name)
      if (key !== undefined) environ[key] = value
    })
  }

  /** The client's address: `info.remoteAddr.hostname` on Deno, `server.requestIP(request)` on Bun, elsewhere `''`. */
  get address(): string {
    const [info] = this.platform
    if (typeof info !== 'object' || info === null) return ''
    if ('remoteAddr' in info) return textMember(info.remoteAddr, 'hostname')
    if (!('requestIP' in info) || typeof info.requestIP !== 'function') return ''
    return textMember(info.requestIP(this.request), 'address')
  }

  onLost(listener: (reason: Error) => void): void {
    const isFirst = this.#lost === undefined
    this.#lost ??= []
    this.#lost.push(listener)
    const { signal } = this.request
    if (signal.aborted) this.lose()
    else if (isFirst) signal.addEventListener('abort', () => this.lose(), { once: true })
  }

  /** The client has disconnected. */
  lose(): void {
    if (this.#isOver) return
    for (const listener of this.#lost?.splice(0) ?? []) listener(new ClientDisconnected())
  }

  /** The response is complete. Some platforms abort the signal of a request at its regular end. */
  complete(): void {
    this.hasBegun = true
    this.#isOver = true
  }
}

/**
 * The member REMOTE_ADDR on Bun, a plain value from its first access on. Bun asks the operating system for an address,
 * which is up to a fifth of the cost of a small request.
 */
const ADDRESS_ON_BUN: PropertyDescriptor & ThisType<Environ> = {
  configurable: true,
  enumerable: true,
  get() {
    const call = this['propylon.fetch']
    const address = call instanceof FetchCall ? call.address : ''
    this.REMOTE_ADDR = address
    return address
  },
  set(value: unknown) {
    // A frozen environ is not changed.
    Reflect.defineProperty(this, 'REMOTE_ADDR', { configurable: true, enumerable: true, writable: true, value })
  },
}

function textMember(object: unknown, key: string): string {
  const value: unknown = typeof object === 'object' && object !== null ? Reflect.get(object, key) : undefined
  return typeof value === 'string' ? value : ''
}

// ------------------------------------------------------------ disconnects while the response is pending

/**
 * Time after which a pending response listens for a disconnect, in milliseconds, at least. Reading the signal of a
 * request costs Bun and Deno more than a small response, and few responses take longer.
 */
const DELAY = 50

/** Pending responses that do not listen yet, and whether the timer has been due since they began. */
const waiting = new Map<() => void, boolean>()

/** Whether the timer of all of them runs. A timer for each would cost Deno a tenth of a form. */
let isTimed = false

function advance(): void {
  for (const [listen, isOld] of waiting) {
    waiting.set(listen, true)
    if (isOld) listen()
  }
  isTimed = waiting.size > 0
  if (isTimed) setTimeout(advance, DELAY)
}

/**
 * Notices that the client of a request disconnects while its response is pending.
 *
 * @param leave - is called when the client disconnects, at most once.
 * @param listensLater - whether to listen only if the response is pending after {@link DELAY}, or at most twice that
 *   time.
 * @returns a function that stops listening: the response is complete.
 */
export function whenLeft(request: globalThis.Request, leave: () => void, listensLater: boolean): () => void {
  let signal: AbortSignal | undefined
  const listen = () => {
    waiting.delete(listen)
    signal = request.signal
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }
  if (listensLater) waiting.set(listen, false)
  else listen()
  if (listensLater && !isTimed) {
    isTimed = true
    setTimeout(advance, DELAY)
  }
  return () => {
    waiting.delete(listen)
    signal?.removeEventListener('abort', leave)
  }
}
