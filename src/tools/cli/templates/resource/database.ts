/** Returns the query for all items, in the order of the list. */
export function selectItems() {
  return database.selectFrom('things_table').selectAll().orderBy('HEADING').orderBy('id')
}

export async function findItem(id: string): Promise<Item | undefined> {
  return database.selectFrom('things_table').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function createItem(fields: Fields): Promise<Item> {
  const item = { id: randomUUID(), ...fields }
  await database.insertInto('things_table').values(item).execute()
  return item
}

/** Changes an item. Returns undefined if there is none. */
export async function updateItem(id: string, fields: Fields): Promise<Item | undefined> {
  const query = database.updateTable('things_table').set(fields).where('id', '=', id)
  const { numUpdatedRows } = await query.executeTakeFirst()
  return numUpdatedRows > 0n ? { id, ...fields } : undefined
}

/** Deletes an item. Returns false if there is none. */
export async function deleteItem(id: string): Promise<boolean> {
  const { numDeletedRows } = await database.deleteFrom('things_table').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
// BOOLEANS
