/**
 * Inspects thrown values.
 *
 * Applications can throw anything, including values that throw when they are inspected: a revoked Proxy, an error
 * with a getter that throws, `Object.create(new DOMException())`. Every function of this file accepts every value and
 * never throws, so code that handles errors must use them instead of `instanceof`, `String(error)` and property access.
 *
 * @module
 */
import { withoutCode } from './error-code.ts'
import { shownPlaces, withoutVersions } from './place.ts'
import { indented } from './printable.ts'
import { applicationFirst } from './stack.ts'

const MAX_CAUSES = 8
const UNREADABLE = '(unreadable: inspecting the thrown value throws an error)'

/** `value instanceof type`; false for a value that cannot be inspected. */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  return attempt(() => value instanceof type, false)
}

/**
 * Returns true if an error only reports that the client has disconnected, or that a shutdown has cut the connection.
 *
 * @example
 * ```ts
 * import { isDisconnect, type WSGIApplication } from 'propylon/wsgi'
 *
 * export const upload: WSGIApplication = async (environ, start_response) => {
 *   let length = 0
 *   try {
 *     for await (const chunk of environ['wsgi.input']) length += chunk.length
 *   } catch (error) {
 *     if (!isDisconnect(error)) console.error('The upload failed:', error)
 *     throw error
 *   }
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return [`${length} bytes`]
 * }
 * ```
 */
export function isDisconnect(error: unknown): boolean {
  if (!isInstance(error, Error)) return false
  // Functions of Node to which `request.signal` was passed reject with an AbortError that has its reason as the cause.
  return isLoss(error) || (memberOf(error, 'name') === 'AbortError' && isLoss(memberOf(error, 'cause')))
}

function isLoss(error: unknown): boolean {
  const code = memberOf(error, 'code')
  return code === 'CLIENT_DISCONNECTED' || code === 'SERVER_CLOSING'
}

/** A member of a thrown object, or of its class; undefined if there is none or it cannot be read. */
export function memberOf(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  return attempt((): unknown => Reflect.get(value, name), undefined)
}

/**
 * Formats a thrown value for a log: the stack, followed by the stacks of up to eight causes. The frames of the
 * application are first, and frames of this package and of the runtime are only counted. Further lines of a message
 * are indented.
 */
export function errorText(error: unknown): string {
  let text = isInstance(error, Error) ? stackOf(error) : indented(`Thrown: ${describe(error)}`)
  let cause = causeOf(error)
  for (let depth = 0; cause !== undefined && depth < MAX_CAUSES; depth++) {
    // The message of a module that does not load has the mistake of syntax already, with its place.
    const isSaid = isInstance(cause, Error) && saysAll(cause) && text.includes(errorMessage(cause))
    if (!isSaid) text += `\nCaused by: ${isInstance(cause, Error) ? stackOf(cause) : indented(describe(cause))}`
    cause = causeOf(cause)
  }
  // Frames keep their paths, which terminals open.
  const lines = text.split('\n').map((line) => (/^\s+at /.test(line) ? withoutVersions : shownPlaces)(line))
  return lines.join('\n')
}

/**
 * Returns a thrown value and its first causes, outermost first, each once. The errors of an AggregateError follow it.
 */
export function withCauses(error: unknown): readonly unknown[] {
  const all: unknown[] = [error]
  for (let at = 0; at < all.length && all.length <= MAX_CAUSES; at++) {
    const each = all[at]
    const isMany = isInstance(each, AggregateError)
    const errors: unknown[] = isMany ? attempt(() => [...each.errors].slice(0, MAX_CAUSES), []) : []
    const more = [...errors, memberOf(each, 'cause')]
    all.push(...more.filter((cause) => cause !== undefined && !all.includes(cause)))
  }
  return all.slice(0, MAX_CAUSES + 1)
}

/** The message of an Error, or a description of any other thrown value. */
export function errorMessage(error: unknown): string {
  return isInstance(error, Error) ? text(() => error.message) : describe(error)
}

/** Name and message of an Error, or a description of any other thrown value. */
export function errorSummary(error: unknown): string {
  if (!isInstance(error, Error)) return describe(error)
  const name = text(() => error.name)
  const message = errorMessage(error)
  return message === '' ? name : `${name}: ${message}`
}

/**
 * Returns a value that can be inspected without care: the thrown value itself if its members and the members of its
 * causes are readable, otherwise an Error whose message describes it.
 */
export function toInspectable(thrown: unknown): unknown {
  if (attempt(() => isReadable(thrown, MAX_CAUSES), false)) return thrown
  const substitute = new Error(errorText(thrown))
  // Its frames would point into this file.
  substitute.stack = `Error: ${substitute.message}`
  return substitute
}

/** Converts a thrown value to an Error that can be inspected without care. */
export function toError(thrown: unknown): Error {
  const value = toInspectable(thrown)
  return value instanceof Error ? value : new Error(errorText(value))
}

/** Reads what handlers of errors read. Throws if reading a member throws. */
function isReadable(value: unknown, depth: number): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return true
  for (const key of [...Reflect.ownKeys(value), 'code', 'status']) Reflect.get(value, key)
  if (!(value instanceof Error)) return true
  const { name, message, stack = '', cause } = value
  if (![name, message, stack].every((member) => typeof member === 'string')) return false
  return depth === 0 || isReadable(cause, depth - 1)
}

function stackOf(error: Error): string {
  const stack = memberOf(error, 'stack')
  if (typeof stack !== 'string') return indented(errorSummary(error))
  const message = errorMessage(error)
  return indented(saysAll(error) ? applicationFirst(stack, message, 0) : applicationFirst(stack, message))
}

/**
 * Returns true for an error that no frame explains better: a route without an action (404), a mistake of syntax, an
 * error in the use of the framework.
 */
function saysAll(error: Error): boolean {
  const status = memberOf(error, 'status')
  if (typeof status === 'number' && status >= 400 && status < 500) return true
  const code = memberOf(error, 'code')
  if (withoutCode(errorMessage(error), code) !== undefined) return true
  return typeof code === 'string' && /^ERR_\w+_TYPESCRIPT_SYNTAX$/.test(code)
}

function causeOf(error: unknown): unknown {
  return isInstance(error, Error) ? attempt(() => error.cause, UNREADABLE) : undefined
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return text(() => value)
  const json = attempt(() => JSON.stringify(value), undefined)
  return typeof json === 'string' ? json : text(() => Object.prototype.toString.call(value))
}

/** Converts the result of `read` to text. A member of an error can have any value, even one without a text form. */
function text(read: () => unknown): string {
  return attempt(() => String(read()), UNREADABLE)
}

function attempt<T, F>(read: () => T, fallback: F): T | F {
  try {
    return read()
  } catch {
    return fallback
  }
}
