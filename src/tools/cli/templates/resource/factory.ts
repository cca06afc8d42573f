// Things for tests.
import { createItem, type Fields } from './model.ts'

const fields: Fields = { title: 'A line' }

/** Stores a thing. A test names the fields that matter to it, and the others have values from here. */
export function make(named: Partial<Fields> = {}) {
  return createItem({ ...fields, ...named })
}
