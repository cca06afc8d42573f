import { isRecord } from '../../base/record.ts'
import { member, valueAt } from './pointer.ts'

/**
 * Finds the schemas of a document that describe other values in requests than in responses, because they contain
 * `readOnly` or `writeOnly`, themselves or by references.
 */
export class DirectedSchemas {
  readonly #document: unknown
  readonly #known = new Map<string, boolean>()

  constructor(document: unknown) {
    this.#document = document
  }

  /** @param reference - a local reference to a schema. */
  has(reference: string): boolean {
    const references = new Set([reference])
    // References that are found are added to the set, and follow.
    for (const each of references) {
      const known = this.#known.get(each)
      if (known === false) continue
      if (known === true || this.#contains(each, references)) {
        this.#known.set(reference, true)
        return true
      }
    }
    for (const each of references) this.#known.set(each, false)
    return false
  }

  /** Adds the references in a schema to the set, unless the schema itself has one of the keywords. */
  #contains(reference: string, references: Set<string>): boolean {
    const values = new Set([valueAt(this.#document, reference)])
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue
      if (isRecord(value)) {
        if (member(value, 'readOnly') === true || member(value, 'writeOnly') === true) return true
        const further = member(value, '$ref')
        if (typeof further === 'string') references.add(further)
      }
      for (const each of Object.values(value)) values.add(each)
    }
    return false
  }
}
