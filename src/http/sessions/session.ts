/**
 * The session of a visitor.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { TOKEN_FIELD } from '../own-fields.ts'
import type { SessionName, SessionValue, SessionValueOf, SessionValues } from './data.ts'

/** Maximum lifetime of a cookie in seconds: browsers delete cookies after 400 days (RFC 6265bis §5.5). */
const MAX_REMEMBERED = 400 * 24 * 60 * 60

/** Changes that a request made to its session, for the code that saves it. */
export interface SessionChanges {
  /** Whether a value was read or changed, so that the response depends on the session. */
  readonly isUsed: boolean
  /** Whether there is something to save. */
  readonly isChanged: boolean
  readonly isDestroyed: boolean
  readonly isRegenerated: boolean
  /** Seconds for which to keep the session, null until the browser is closed. Undefined if that does not change. */
  readonly remembered: number | null | undefined
  /**
   * Returns stored values with the changes. Values that the request did not change keep what a concurrent request
   * stored.
   */
  applyTo(stored: SessionValues): SessionValues
}

/** The method of a session that ends its use and returns its changes. */
export const CLOSE: unique symbol = Symbol('propylon.session.close')

/** The method of a session that returns a value, and does not note that it was read. */
export const PEEK: unique symbol = Symbol('propylon.session.peek')

/** The property of a session with its {@link SessionChanges} so far. */
export const CHANGES: unique symbol = Symbol('propylon.session.changes')

/**
 * The session of a visitor: values by name, which are JSON. Every method is synchronous.
 *
 * The values are saved after the action. A session without a store is a signed cookie: the visitor can read it,
 * unless it is encrypted, but not change it. With a store, the cookie has only an id.
 *
 * @see docs/guides/sessions.md
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class LoginController extends WSGIController {
 *   create() {
 *     this.session.regenerate().set('user', 'joe').flash('notice', 'Welcome back!')
 *   }
 *
 *   delete() {
 *     this.session.destroy()
 *   }
 * }
 * ```
 */
export class Session {
  readonly #values: Map<string, SessionValue>
  /** Flashed values of earlier requests. */
  readonly #pending: Flash
  readonly #isShown: boolean
  /** Names of the values that were set or deleted. */
  readonly #changed = new Set<string>()
  /** The flashed values of earlier requests that were read. */
  readonly #read: Flash = new Map()
  readonly #flashed: Flash = new Map()
  #isUsed = false
  #isCleared = false
  #isDestroyed = false
  #isRegenerated = false
  #isClosed = false
  #remembered: number | null | undefined

  /**
   * @param stored - the values as they were saved.
   * @param isShown - whether the visitor sees the response, so that flashed values that are read need not be kept.
   */
  constructor(stored: SessionValues = {}, isShown = true) {
    this.#values = new Map(Object.entries(stored))
    this.#pending = flashIn(stored)
    this.#values.delete(FLASH_KEY)
    this.#isShown = isShown
  }

  /** Whether a value has changed. */
  get changed(): boolean {
    return this[CHANGES].isChanged
  }

  /** Whether a value was read or changed, so that the response may depend on the session. */
  get used(): boolean {
    return this.#isUsed
  }

  /** Whether the session has no values. */
  get empty(): boolean {
    this.#isUsed = true
    return this.#values.size === 0
  }

  /** Returns a value, or `undefined`. To change an array or object, pass the changed value to {@link set}. */
  get<Name extends SessionName>(name: Name): SessionValueOf<Name> | undefined {
    this.#isUsed = true
    // The type is the application's own declaration. Only JSON values are stored, of whatever type `set` was called
    // with.
    return this.#values.get(name) as SessionValueOf<Name> | undefined
  }

  /** Returns a value, and does not note that it was read. */
  [PEEK](name: string): SessionValue | undefined {
    return this.#values.get(name)
  }

  /** Returns true if there is a value with this name. */
  has(name: SessionName): boolean {
    this.#isUsed = true
    return this.#values.has(name)
  }

  /**
   * Sets a value. It is copied.
   *
   * @throws TypeError - the value is not JSON, or its name is `_flash`.
   */
  set<Name extends SessionName>(name: Name, value: SessionValueOf<Name>): this {
    const key: string = name
    if (key === FLASH_KEY) throw new TypeError(`The session value ${FLASH_KEY} is reserved. Call flash().`)
    const copy = copyJson(value, name)
    this.#change('set')
    this.#values.set(name, copy)
    this.#changed.add(name)
    return this
  }

  /** Deletes a value. Returns whether it existed. */
  delete(name: SessionName): boolean {
    this.#isUsed = true
    if (!this.#values.has(name)) return false
    this.#change('delete')
    this.#changed.add(name)
    return this.#values.delete(name)
  }

  /** Deletes all values. To end the session, for instance at logout, call {@link destroy}. */
  clear(): void {
    this.#isUsed = true
    if (this.#values.size === 0 && this.#pending.size === 0 && this.#flashed.size === 0) return
    this.#change('clear')
    this.#forget()
  }

  /**
   * Gives the session a new id and keeps the values. The old id becomes invalid, and so do the forms that were shown
   * before, because the authentication token is deleted. Call it when the visitor logs in or gains rights: an
   * attacker who made the visitor use a session that he knows must not share the new rights (session fixation).
   *
   * Without a store there is no id; only the forms become invalid.
   */
  regenerate(): this {
    this.#change('regenerate')
    if (this.#values.delete(TOKEN_FIELD)) this.#changed.add(TOKEN_FIELD)
    this.#isRegenerated = true
    return this
  }

  /**
   * Ends the session: its values are deleted, in the store too, and its cookie becomes invalid. Values that are set
   * afterwards, for instance a flashed message, begin a new session.
   *
   * Without a store the cookie is deleted in the browser, but a copy of it stays valid until it expires.
   */
  destroy(): void {
    this.#change('destroy')
    this.#forget()
    this.#isDestroyed = true
    this.#remembered = undefined
  }

  /**
   * Keeps the session for a number of seconds from now, also when the browser is closed ("remember me"). The options
   * `idle` and `lifetime` do not apply to it. `null` ends this.
   *
   * @param seconds - a whole number, at most 400 days.
   * @throws RangeError - the number is out of range.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class LoginController extends WSGIController {
   *   async create() {
   *     const form = await this.request.form()
   *     this.session.regenerate().set('user', 'joe')
   *     if (form.has('remember')) this.session.remember(30 * 24 * 60 * 60)
   *   }
   * }
   * ```
   */
  remember(seconds: number | null): this {
    if (seconds !== null && !(Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_REMEMBERED)) {
      throw new RangeError(
        `session.remember(${seconds}): give a whole number of seconds from 1 to ${MAX_REMEMBERED} (400 days), or null.`,
      )
    }
    this.#change('remember')
    this.#remembered = seconds
    return this
  }

  /**
   * Returns the first value that earlier requests passed to {@link flash} under a name, or `undefined`. It is shown
   * once: after a request that read it, all values of the name are deleted. Requests that do not read them, such as
   * redirects, files and API calls, leave them for the next. A HEAD request leaves them too.
   */
  flashed(name: string): SessionValue | undefined {
    return this.flashes(name)[0]
  }

  /**
   * Returns all values that earlier requests passed to {@link flash} under a name, in order. They are shown once, like
   * the value of {@link flashed}.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class NoticesController extends WSGIController {
   *   index() {
   *     return { notices: this.session.flashes('notice') }
   *   }
   * }
   * ```
   */
  flashes(name: string): SessionValue[] {
    this.#isUsed = true
    const values = this.#pending.get(name) ?? []
    if (values.length > 0 && this.#isShown) this.#read.set(name, values)
    return [...values]
  }

  /**
   * Appends a value to those that are kept under a name until a request reads them with {@link flashes} or {@link
   * flashed}, such as a message to show after a redirect. Of the unread values of earlier requests, the last 20 remain.
   *
   * @throws TypeError - the value is not JSON.
   */
  flash(name: string, value: SessionValue): this {
    const copy = copyJson(value, name)
    this.#change('flash')
    const values = this.#flashed.get(name)
    if (values === undefined) this.#flashed.set(name, [copy])
    else values.push(copy)
    return this
  }

  /** Returns the values, without those that are flashed. */
  toJSON(): Record<string, SessionValue> {
    this.#isUsed = true
    return Object.fromEntries(this.#values)
  }

  get [CHANGES](): SessionChanges {
    return {
      isUsed: this.#isUsed,
      isChanged:
        this.#changed.size + this.#read.size + this.#flashed.size > 0 ||
        this.#isCleared ||
        this.#isDestroyed ||
        this.#isRegenerated ||
        this.#remembered !== undefined,
      isDestroyed: this.#isDestroyed,
      isRegenerated: this.#isRegenerated,
      remembered: this.#remembered,
      applyTo: (stored) => this.#applyTo(stored),
    }
  }

  /** Returns the changes. Later ones throw: the response has the session's cookie already. */
  [CLOSE](): SessionChanges {
    this.#isClosed = true
    return this[CHANGES]
  }

  #applyTo(stored: SessionValues): SessionValues {
    const kept = this.#isCleared ? {} : stored
    const values = new Map(Object.entries(kept))
    for (const name of this.#changed) {
      const value = this.#values.get(name)
      if (value === undefined) values.delete(name)
      else values.set(name, value)
    }
    const flash = flashIn(kept)
    changeFlash(flash, this.#read, this.#flashed)
    if (flash.size === 0) values.delete(FLASH_KEY)
    else values.set(FLASH_KEY, Object.fromEntries(flash))
    return Object.fromEntries(values)
  }

  /** Deletes all values, also those that concurrent requests store. */
  #forget(): void {
    this.#values.clear()
    this.#changed.clear()
    this.#pending.clear()
    this.#read.clear()
    this.#flashed.clear()
    this.#isCleared = true
  }

  /** Notes that a method changes the session. Throws if that comes too late. */
  #change(method: string): void {
    if (this.#isClosed) {
      throw new Error(
        `session.${method}() was called after the session was saved. Call it before the action returns: a body that is streamed, and middleware, run after the head of the response was made.`,
      )
    }
    this.#isUsed = true
  }
}

/** Name under which flashed values are stored. */
const FLASH_KEY = '_flash'

/**
 * Unread values of earlier requests that remain when a request flashes more under their name. The oldest are dropped.
 */
const MAX_UNREAD = 20

/** Flashed values by name. */
type Flash = Map<string, SessionValue[]>

/** Returns the flashed values among stored ones. */
function flashIn(stored: SessionValues): Flash {
  const flash = stored[FLASH_KEY]
  if (!isRecord(flash)) return new Map()
  // Version 0.2 stored one value for each name.
  return new Map(Object.entries(flash).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]))
}

/**
 * Changes stored flashed values as a request did.
 *
 * @param read - the values that it read. A concurrent request may have read them too, or added others.
 * @param added - the values that it flashed.
 */
function changeFlash(flash: Flash, read: Flash, added: Flash): void {
  for (const [name, values] of read) {
    const texts = values.map((value) => JSON.stringify(value))
    const rest = (flash.get(name) ?? []).filter((value) => {
      const at = texts.indexOf(JSON.stringify(value))
      if (at >= 0) texts.splice(at, 1)
      return at < 0
    })
    if (rest.length === 0) flash.delete(name)
    else flash.set(name, rest)
  }
  for (const [name, values] of added) {
    flash.set(name, [...(flash.get(name) ?? []).slice(-MAX_UNREAD), ...values])
  }
}

/** Maximum depth of arrays and objects. */
const MAX_DEPTH = 64

/**
 * Returns a deep copy of a JSON value, so that later changes of the original are not saved by accident.
 *
 * @param path - name of the value for messages: `cart`, or `cart.items[0]` within it.
 * @throws TypeError - a value within it is not JSON, such as a Date, a Map, `undefined`, NaN or a class instance, or
 *   it is nested too deeply, for instance because it contains itself.
 */
function copyJson(value: unknown, path: string, depth = 0): SessionValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw notJson(value, path)
  if (depth >= MAX_DEPTH) {
    throw new TypeError(`The session value ${path} is nested over ${MAX_DEPTH} levels deep or contains itself.`)
  }
  // Array.from reads holes, which map() would skip and JSON would turn into null.
  if (Array.isArray(value)) {
    return Array.from(value, (member: unknown, index) => copyJson(member, `${path}[${index}]`, depth + 1))
  }
  if (!isPlain(value)) throw notJson(value, path)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, copyJson(member, `${path}.${key}`, depth + 1)]),
  )
}

/** Returns true for an object literal, also of another realm, and for an object without a prototype. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function notJson(value: unknown, path: string): TypeError {
  return new TypeError(
    `The session value ${path} is ${describeValue(value)}. Sessions hold JSON values: strings, finite numbers, booleans, null, arrays and plain objects.`,
  )
}
