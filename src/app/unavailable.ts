/** Errors which say that a server that the application uses, such as its database, cannot be used at present. */
import { errorText, isInstance, memberOf, withCauses } from '../base/thrown.ts'
import type { Logger } from '../controllers/application.ts'
import { type HTTPException, HTTPServiceUnavailable } from '../http/exceptions.ts'

/** Errors of connections by Node and its `fetch()`. A socket of a local server that does not exist is ENOENT. */
const CONNECTION_CODES =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|UND_ERR_(?:SOCKET|(?:CONNECT|HEADERS|BODY)_TIMEOUT))$/

/** The system has no more descriptors, memory or space. */
const EXHAUSTED_CODES = /^(?:EMFILE|ENFILE|ENOMEM|ENOBUFS|ENOSPC|EDQUOT)$/

/**
 * States of SQL: no connection (08), no more resources (53), statement too slow (57014), server starts or stops (57P),
 * lock not available (55P03), error of the system below the server (58).
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const SQL_STATES = /^(?:08[0-9A-Z]{3}|53[0-9A-Z]{3}|57014|57P[0-9A-Z]{2}|55P03|58[0-9A-Z]{3})$/

/** Result codes of SQLite by name, as better-sqlite3 has them. */
const SQLITE_NAMES = /^SQLITE_(?:BUSY|LOCKED|NOMEM|IOERR|FULL|CANTOPEN)(?:_|$)/

/** The same by number, as node:sqlite has them. */
const SQLITE_CODES: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14])

/** Names of errors of ioredis, and of classes of node-redis, whose errors have the name Error. */
const REDIS_NAMES =
  /^(?:MaxRetriesPerRequestError|(?:ClientClosed|ClientOffline|DisconnectsClient|SocketClosedUnexpectedly|ConnectionTimeout|SocketTimeout|RootNodesUnavailable)Error)$/

/** Replies of a Redis that does not serve now. */
const REDIS_REPLIES =
  /^(?:LOADING \w+ is loading |MASTERDOWN Link |CLUSTERDOWN |READONLY You can't write |OOM command not allowed )/

/** Errors of pg and ioredis without a code. */
const MESSAGES =
  /^(?:Connection terminated\b|Connection is closed|timeout exceeded when trying to connect$|timeout expired$|Query read timeout$|Client has encountered a connection error|Client was closed)/

/**
 * Returns true for an error which says that a server cannot be used at present: it refuses, loses or delays
 * connections, has no more connections, memory or space, starts or shuts down, or its file is locked. Knows the
 * errors of Node, its `fetch()`, pg, SQLite, ioredis and node-redis, also as a cause of another error. Pass it as the
 * option `unavailable` of FrameworkApp.
 *
 * @example
 * ```ts
 * import { FrameworkApp, isUnavailable, Mapper } from 'propylon'
 *
 * export default new FrameworkApp({ map: new Mapper(), controllers: {}, unavailable: isUnavailable })
 * ```
 */
export function isUnavailable(error: unknown): boolean {
  return withCauses(error).some((each) => isInstance(each, Error) && (hasCode(each) || hasText(each)))
}

function hasCode(error: Error): boolean {
  const [code, number] = [memberOf(error, 'code'), memberOf(error, 'errcode')]
  if (code === 'ERR_SQLITE_ERROR') return typeof number === 'number' && SQLITE_CODES.has(number & 0xff)
  if (code === 'ENOENT') return memberOf(error, 'syscall') === 'connect'
  if (typeof code !== 'string') return false
  return [CONNECTION_CODES, EXHAUSTED_CODES, SQL_STATES, SQLITE_NAMES].some((codes) => codes.test(code))
}

function hasText(error: Error): boolean {
  const names = [memberOf(error, 'name'), memberOf(memberOf(error, 'constructor'), 'name')]
  const message = memberOf(error, 'message')
  return (
    names.some((name) => typeof name === 'string' && REDIS_NAMES.test(name)) ||
    (typeof message === 'string' && (REDIS_REPLIES.test(message) || MESSAGES.test(message)))
  )
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = 5

/** Returns the exception in place of an unexpected error, or undefined for the usual one. */
export type Unavailability = (error: unknown) => HTTPException | undefined

/** Returns a function that makes a 503 of the errors for which the option `unavailable` returns true. */
export function unavailability(option: ((error: unknown) => boolean) | undefined, logger: Logger): Unavailability {
  if (option === undefined) return () => undefined
  return (error) => {
    try {
      if (!option(error)) return undefined
    } catch (failure) {
      logger.error(`unavailable failed\n${errorText(failure)}`, { err: failure })
      return undefined
    }
    return new HTTPServiceUnavailable(undefined, { 'Retry-After': String(RETRY_AFTER) })
  }
}
