import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `POST /books` takes JSON with a `title` (text, not empty) and a `year` (an integer). It answers with status 201, the
 * JSON of the new book with its `id`, and its URL in `Location`, where `GET` answers with the same JSON. A wrong field
 * gets status 400 and a problem document, whose `errors` name each wrong field. An unknown book is 404.
 */
const task: Task = {
  async check({ visitor }) {
    const client = visitor(PROGRAM)
    const created = await client.postJson('/books', { title: 'Walden', year: 1854 })
    assert.equal(created.status, 201)
    const book = created.json<{ id: number; title: string; year: number }>()
    assert.deepEqual([book.title, book.year, typeof book.id], ['Walden', 1854, 'number'])
    const location = created.headers.get('location') ?? ''
    assert.deepEqual((await client.get(location)).json(), book)
    const wrong = await client.postJson('/books', { title: '', year: 'soon' })
    assert.equal(wrong.status, 400)
    const { errors } = wrong.json<{ errors: readonly { name: string }[] }>()
    assert.deepEqual(errors.map(({ name }) => name).sort(), ['title', 'year'])
    assert.equal((await client.get('/books/77')).status, 404)
  },
}

export default task
