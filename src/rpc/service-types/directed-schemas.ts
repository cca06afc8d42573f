import { isRecord } from '../../base/record.ts'
import { member, valueAt } from './pointer.ts'

/**
 * Returns a function that finds the schemas of a document that describe other values in requests than in responses, because
 * they contain `readOnly` or `writeOnly`, themselves or by references.
 */
export function directedSchemas(document: unknown): (schema: unknown) => boolean {
  const known = new Map<unknown, boolean>()
  return (schema) => {
    const parts = new Set([schema])
    // Parts that are found are added to the set, and follow.
    for (const part of parts) {
      if (known.get(part) === false || typeof part !== 'object' || part === null) continue
      if (known.get(part) === true || isDirected(part)) {
        known.set(schema, true)
        return true
      }
      const reference = isRecord(part) ? member(part, '$ref') : undefined
      if (typeof reference === 'string') parts.add(valueAt(document, reference))
      for (const each of Object.values(part)) parts.add(each)
    }
    for (const part of parts) known.set(part, false)
    return false
  }
}

function isDirected(part: object): boolean {
  return isRecord(part) && (member(part, 'readOnly') === true || member(part, 'writeOnly') === true)
}
