/** Copies values of sessions, which must be JSON: a store or a cookie would lose anything else silently. */
import { describeValue } from '../../base/describe.ts'
import type { SessionValue } from './data.ts'

/** Maximum depth of arrays and objects. */
const MAX_DEPTH = 64

/**
 * Returns a deep copy of a JSON value, so that later changes of the original are not saved by accident.
 *
 * @param path - name of the value for messages: `cart`, or `cart.items[0]` within it.
 * @throws TypeError - a value within it is not JSON, such as a Date, a Map, `undefined`, NaN or a class instance, or it is
 *   nested too deeply, for instance because it contains itself.
 */
export function copyJson(value: unknown, path: string, depth = 0): SessionValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw notJson(value, path)
  if (depth >= MAX_DEPTH) {
    throw new TypeError(
      `The session value ${path} is nested over ${MAX_DEPTH} levels deep or contains itself.`,
    )
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
