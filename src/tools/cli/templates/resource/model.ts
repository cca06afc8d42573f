// The things: schemas, and functions that read and write them.
import { randomUUID } from 'node:crypto'
// TITLE_IMPORT
import * as v from 'valibot'

// TITLE_RULES

/** The fields that clients send, by a form or as JSON. Add others here, FIELDS_PLACES. */
export const Fields = v.object(
  {
    title: v.pipe(v.string('must be text'), v.trim(), v.minLength(1, 'must not be empty'), v.maxLength(200)),
  },
  'is missing',
)
export type Fields = v.InferOutput<typeof Fields>
// TITLE_TEXTS

/** An item as programs receive it. */
export const Item = v.object({
  id: v.string(),
  title: v.string(),
})
export type Item = v.InferOutput<typeof Item>

/** The stored items. Replace this map by a table: a restart empties it, and each worker has its own. */
const items = new Map<string, Item>()

/** Returns all items, in the order of the list. */
export function selectItems(): Item[] {
  return [...items.values()]
}

export function findItem(id: string): Item | undefined {
  return items.get(id)
}

export function createItem(fields: Fields): Item {
  const item = { id: randomUUID(), ...fields }
  items.set(item.id, item)
  return item
}

/** Changes an item. Returns undefined if there is none. */
export function updateItem(id: string, fields: Fields): Item | undefined {
  if (!items.has(id)) return undefined
  const item = { id, ...fields }
  items.set(id, item)
  return item
}

/** Deletes an item. Returns false if there is none. */
export function deleteItem(id: string): boolean {
  return items.delete(id)
}
