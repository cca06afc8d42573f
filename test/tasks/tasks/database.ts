import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `POST /notes` with the JSON `{"text":"tea"}` keeps a note in the table `notes` of the database, and answers with
 * status 201. `GET /notes` answers programs with all notes in the order in which they were added:
 * `[{"id":1,"text":"tea"}]`. A migration creates the table.
 */
const task: Task = {
  options: ['--database', 'sqlite'],
  async check({ visitor, folder }) {
    const { migrator } = await import(pathToFileURL(join(folder, 'config/migrator.ts')).href)
    const { error } = await migrator.migrateToLatest()
    assert.equal(error, undefined)
    const client = visitor(PROGRAM)
    assert.deepEqual((await client.get('/notes')).json(), [])
    assert.equal((await client.postJson('/notes', { text: 'tea' })).status, 201)
    assert.equal((await client.postJson('/notes', { text: "it's" })).status, 201)
    const notes = (await client.get('/notes')).json<{ id: number; text: string }[]>()
    assert.deepEqual(
      notes.map(({ text }) => text),
      ['tea', "it's"],
    )
    const { database } = await import(pathToFileURL(join(folder, 'config/database.ts')).href)
    const tables: { name: string }[] = await database.introspection.getTables()
    assert.ok(tables.some(({ name }) => name === 'notes'))
    await database.destroy()
  },
}

export default task
