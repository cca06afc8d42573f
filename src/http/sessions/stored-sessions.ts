/**
 * Sessions in a store, with an id in the cookie.
 *
 * @module
 */

import { encodeBase64Url } from '../../base/base64.ts'
import { utf8Length } from '../../base/bytes.ts'
import { RecentMap } from '../../base/recent-map.ts'
import { isRecord } from '../../base/record.ts'
import { within } from '../../base/time.ts'
import {
  begin,
  endOf,
  hasEnded,
  type KeptSession,
  type Lifespan,
  type ResponseCookie,
  remember,
  renewalInterval,
  type SessionBackend,
} from './backend.ts'
import type { SessionValues } from './data.ts'
import type { SessionChanges } from './session.ts'
import type { SessionSettings } from './session-options.ts'
import { Signer } from './signer.ts'
import { type SessionStore, SessionStoreError } from './store.ts'

/** Length of an id, in bytes. */
const ID_LENGTH = 32

/**
 * Time after which an operation of the store counts as failed, in milliseconds. Clients queue while they are offline.
 */
const STORE_TIMEOUT = 10_000

/**
 * Maximum number of sessions whose last renewal is remembered. A forgotten one is renewed too early, which is
 * harmless.
 */
const MAX_RENEWALS = 10_000

/** Content of a signed cookie. */
interface Ticket extends Lifespan {
  readonly id: string
}

/** The session of a request as the store has it. */
interface Stored extends KeptSession {
  /** Undefined if the store has no session for this request. */
  readonly id: string | undefined
  /** Whether the newest secret has signed the cookie. */
  readonly isCurrent: boolean
}

/** The tasks of each store, also if several applications use it. */
const turnsOf = new WeakMap<SessionStore, Turns>()

/**
 * Sessions in a store. The cookie has an id that the server chose, signed together with the times of the session.
 *
 * A session is read before the controller runs and stored after it. It is read again before it is stored: a session
 * that was destroyed in the meantime stays so, and values that concurrent requests have stored are kept. Requests of
 * this process take turns for this. Between processes, {@link SessionStore.update} prevents that a destroyed session
 * is stored again.
 */
export class StoredSessions implements SessionBackend<Stored> {
  readonly waits = true
  readonly #store: SessionStore
  readonly #settings: SessionSettings
  readonly #signer: Signer
  readonly #turns: Turns
  /** Times of the last renewal by id. */
  readonly #renewals = new RecentMap<number>({ entries: MAX_RENEWALS })

  /** @param name - name of the cookie. */
  constructor(store: SessionStore, settings: SessionSettings, name: string) {
    this.#store = store
    this.#settings = settings
    this.#signer = new Signer(settings.secrets, name)
    this.#turns = turnsOf.get(store) ?? new Turns()
    turnsOf.set(store, this.#turns)
  }

  read(cookie: string): Promise<Stored | undefined> | undefined {
    const ticket = this.#ticketIn(cookie)
    return ticket && this.#get(ticket.id).then((values) => values && { ...ticket, values })
  }

  begin(): Stored {
    return { values: {}, ...begin(Date.now()), id: undefined, isCurrent: true }
  }

  save(changes: SessionChanges, kept: Stored, cookie: ResponseCookie): Promise<void> | undefined {
    const { id } = kept
    if (id === undefined) return this.#begin(changes, cookie)
    const known = { ...kept, id }
    if (changes.isDestroyed) return this.#turns.run(id, () => this.#destroy(known, changes, cookie))
    if (!changes.isChanged) {
      if (!this.#isDue(known)) return undefined
      // Even if it fails, so that not every page waits for a store that cannot write.
      this.#renewals.set(id, Date.now())
    }
    if (changes.isRegenerated) return this.#turns.run(id, () => this.#regenerate(known, changes, cookie))
    return this.#turns.run(id, () => this.#update(known, changes, cookie))
  }

  /**
   * Begins a session with a new id, unless there is nothing to keep. Then the cookie of a destroyed session is
   * removed.
   */
  #begin(changes: SessionChanges, cookie: ResponseCookie): Promise<void> | undefined {
    const values = changes.applyTo({})
    if (isEmpty(values)) {
      if (changes.isDestroyed) cookie.remove()
      return undefined
    }
    const now = Date.now()
    const ticket = { id: newId(), ...remember(begin(now), changes.remembered, now) }
    return this.#set(ticket, values).then(() => this.#write(ticket, cookie))
  }

  async #destroy({ id }: Ticket, changes: SessionChanges, cookie: ResponseCookie): Promise<void> {
    await this.#delete(id)
    await this.#begin(changes, cookie)
  }

  /** Stores the changes, or only extends the session. */
  async #update(kept: Ticket & Stored, changes: SessionChanges, cookie: ResponseCookie): Promise<void> {
    const { id } = kept
    const stored = await this.#get(id)
    if (stored === undefined) return
    const values = changes.applyTo(stored)
    if (isEmpty(values)) {
      await this.#delete(id)
      cookie.remove()
      return
    }
    const ticket = { id, ...remember(kept, changes.remembered, Date.now()) }
    if (!(await this.#replace(ticket, values))) return
    // The cookie is not sent otherwise: a response that is late could replace the cookie of a new session.
    if (changes.remembered !== undefined || !kept.isCurrent) this.#write(ticket, cookie)
  }

  /** Stores the session under a new id. Whether the old one could be deleted decides whether it had been destroyed. */
  async #regenerate(old: Ticket, changes: SessionChanges, cookie: ResponseCookie): Promise<void> {
    const stored = await this.#get(old.id)
    if (stored === undefined) return
    const values = changes.applyTo(stored)
    const ticket = { id: newId(), ...remember(old, changes.remembered, Date.now()) }
    if (!isEmpty(values)) await this.#set(ticket, values)
    const wasPresent = await this.#delete(old.id)
    if (isEmpty(values)) cookie.remove()
    else if (wasPresent) this.#write(ticket, cookie)
    else await this.#delete(ticket.id)
  }

  /** Returns true if a session has to be stored although it was only read. */
  #isDue({ id, until, isCurrent }: Ticket & Stored): boolean {
    if (!isCurrent) return true
    if (until !== undefined) return false
    const age = Date.now() - (this.#renewals.get(id) ?? 0)
    // Negative if the clock was set back.
    return age < 0 || age >= renewalInterval(this.#settings)
  }

  /** Returns the content of a cookie, or undefined if it is not signed or its session has ended. */
  #ticketIn(cookie: string): (Ticket & { readonly isCurrent: boolean }) | undefined {
    const signed = this.#signer.verify(cookie)
    if (signed === undefined) return undefined
    const [id = '', began = '', until = '', more] = signed.text.split('.')
    // A cookie of sessions without a store is signed too, and has one part.
    if (began === '' || more !== undefined) return undefined
    const lifespan = { began: Number.parseInt(began, 36), until: until === '' ? undefined : Number.parseInt(until, 36) }
    if (hasEnded(lifespan, this.#settings, Date.now())) return undefined
    return { id, ...lifespan, isCurrent: signed.isCurrent }
  }

  #write({ id, began, until }: Ticket, cookie: ResponseCookie): void {
    cookie.write(this.#signer.sign(`${id}.${began.toString(36)}.${until?.toString(36) ?? ''}`), until)
  }

  async #get(id: string): Promise<SessionValues | undefined> {
    const values: unknown = await attempt('get', () => this.#store.get(id))
    if (values === undefined || values === null) return undefined
    if (!isRecord(values)) {
      throw new SessionStoreError('get', new TypeError('It returned neither an object nor undefined.'))
    }
    return values as SessionValues
  }

  async #set(ticket: Ticket, values: SessionValues): Promise<void> {
    const seconds = this.#secondsFor(ticket, values)
    await attempt('set', () => this.#store.set(ticket.id, values, seconds))
    this.#renewals.set(ticket.id, Date.now())
  }

  /** Stores the values of a session that the store has. Returns false if it has been destroyed. */
  async #replace(ticket: Ticket, values: SessionValues): Promise<boolean> {
    const { update } = this.#store
    if (update === undefined) {
      await this.#set(ticket, values)
      return true
    }
    const seconds = this.#secondsFor(ticket, values)
    const wasPresent = await attempt('update', () => update.call(this.#store, ticket.id, values, seconds))
    if (wasPresent) this.#renewals.set(ticket.id, Date.now())
    return wasPresent
  }

  /** Deletes a session. Returns false if the store reports that there was none. */
  async #delete(id: string): Promise<boolean> {
    this.#renewals.delete(id)
    return (await attempt('delete', () => this.#store.delete(id))) !== false
  }

  /**
   * Returns the number of seconds for which to store a session.
   *
   * @throws RangeError - the values are too large.
   */
  #secondsFor(lifespan: Lifespan, values: SessionValues): number {
    const { maxBytes } = this.#settings
    const size = utf8Length(JSON.stringify(values))
    if (size > maxBytes) {
      throw new RangeError(
        `The session has ${size} bytes, but ${maxBytes} are allowed. Keep an id in the session and the rest in a database, or raise session.maxBytes.`,
      )
    }
    const now = Date.now()
    return Math.max(1, Math.ceil((endOf(lifespan, this.#settings, now) - now) / 1000))
  }
}

function isEmpty(values: SessionValues): boolean {
  return Object.keys(values).length === 0
}

function newId(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(ID_LENGTH)))
}

/**
 * Runs an operation of the store.
 *
 * @throws SessionStoreError, as a rejection, if it fails or takes too long.
 */
async function attempt<T>(name: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await within(STORE_TIMEOUT, operation)
  } catch (error) {
    throw new SessionStoreError(name, error)
  }
}

/** Runs tasks that have the same key one after another, in the order in which they are added. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a task after those with the same key that were added before, whether they succeed or not. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key)
    const result = previous === undefined ? task() : previous.then(task, task)
    this.#last.set(key, result)
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key)
    }
    result.then(forget, forget)
    return result
  }
}
