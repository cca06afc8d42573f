import { isRecord } from '../../base/record.ts'

/** Number of references that are followed from one place. */
const MAX_REFERENCES = 20

/** Returns the value at a local reference (RFC 6901, `#/components/schemas/Pet`), or undefined if there is none. */
export function valueAt(document: unknown, reference: string): unknown {
  if (reference === '#') return document
  if (!reference.startsWith('#/')) return undefined
  let value = document
  for (const segment of reference.slice(2).split('/')) {
    const key = unescaped(segment)
    if (key === undefined) return undefined
    if (Array.isArray(value)) value = /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** Returns the one spelling of a local reference that its others have in common. A malformed one is returned as it is. */
export function canonical(reference: string): string {
  const [root = '', ...segments] = reference.split('/')
  try {
    return [root, ...segments.map((segment) => encodeURIComponent(decodeURIComponent(segment)))].join('/')
  } catch {
    return reference
  }
}

/** Returns a local reference to a member of an object: `#/components/schemas` and the name. */
export function referenceTo(parent: string, name: string): string {
  return `${parent}/${encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))}`
}

export function lastName(reference: string): string {
  const segment = reference.split('/').at(-1) ?? ''
  return unescaped(segment) ?? segment
}

/** Returns the object that a value is or refers to, or undefined if it is neither. */
export function objectAt(document: unknown, value: unknown): Readonly<Record<string, unknown>> | undefined {
  let current = value
  for (let i = 0; i < MAX_REFERENCES; i++) {
    if (!isRecord(current)) return undefined
    const reference = member(current, '$ref')
    if (typeof reference !== 'string') return current
    current = valueAt(document, reference)
  }
  return undefined
}

/** Returns an own member of an object, or undefined. */
export function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Returns an own member of an object if it is text, or ''. */
export function textMember(object: Readonly<Record<string, unknown>>, name: string): string {
  const value = member(object, name)
  return typeof value === 'string' ? value : ''
}

function unescaped(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined // A percent sign that encodes nothing: the reference is malformed.
  }
}
