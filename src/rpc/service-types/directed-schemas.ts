import { isRecord } from '../../base/record.ts'
import { member, valueAt } from './pointer.ts'

/**
 * Finds the schemas of a document that describe other values in requests than in responses, because they contain
 * `readOnly` or `writeOnly`, themselves or by references.
 */
export class DirectedSchemas {
  readonly #document: unknown
  readonly #known = new Map<unknown, boolean>()

  constructor(document: unknown) {
    this.#document = document
  }

  /** @param schema - a schema of the document. */
  has(schema: unknown): boolean {
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    const parts = new Set([schema])
    // Parts that are found are added to the set, and follow.
    for (const part of parts) {
      if (this.#known.get(part) === false || typeof part !== 'object' || part === null) continue
      if (this.#known.get(part) === true || isDirected(part)) {
        this.#known.set(schema, true)
        return true
      }
      const reference = isRecord(part) ? member(part, '$ref') : undefined
      if (typeof reference === 'string') parts.add(valueAt(this.#document, reference))
      for (const each of Object.values(part)) parts.add(each)
    }
    for (const part of parts) this.#known.set(part, false)
    return false
  }
}

function isDirected(part: object): boolean {
  return isRecord(part) && (member(part, 'readOnly') === true || member(part, 'writeOnly') === true)
}
