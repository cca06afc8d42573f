import { HTTPServiceUnavailable } from '../exceptions.ts'
import type { SessionValues } from './data.ts'

/**
 * A place where sessions are kept, by id. Processes that share it share the sessions.
 *
 * @example
 * ```ts
 * import type { SessionStore, SessionValues } from 'propylon/sessions'
 *
 * const records = new Map<string, SessionValues>()
 *
 * export const store: SessionStore = {
 *   async get(id) {
 *     return records.get(id)
 *   },
 *   async set(id, values, seconds) {
 *     records.set(id, values)
 *     setTimeout(() => records.delete(id), seconds * 1000).unref()
 *   },
 *   async delete(id) {
 *     return records.delete(id)
 *   },
 * }
 * ```
 */
export interface SessionStore {
  /** Returns the values of a session. Undefined or null if there is none, or if its time has passed. */
  get(id: string): Promise<SessionValues | undefined | null>
  /** Stores the values of a session for a number of seconds from now, whether there is one with this id or not. */
  set(id: string, values: SessionValues, seconds: number): Promise<unknown>
  /**
   * Deletes a session. May resolve to false if there is none: then a session that one process ends while another
   * gives it a new id is ended for certain.
   */
  delete(id: string): Promise<unknown>
  /**
   * Stores the values of a session if there is one with this id, in one step. Resolves to whether there is. Without
   * this method, a session is read again just before it is stored: then one process can revive a session that another
   * one deletes at the same moment.
   */
  update?(id: string, values: SessionValues, seconds: number): Promise<boolean>
}

/** A store failed. The response is 503; the cause is logged and not sent. */
export class SessionStoreError extends HTTPServiceUnavailable {
  constructor(operation: string, cause: unknown) {
    super(
      undefined,
      { 'Retry-After': '5' },
      { cause: new Error(`The session store failed: ${operation}()`, { cause }) },
    )
  }
}
