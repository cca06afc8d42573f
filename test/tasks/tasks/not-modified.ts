import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `GET /price` answers with the JSON `{"tea":4}` and an `ETag`. A client that sends the tag in `If-None-Match`
 * receives 304 without a body.
 */
const task: Task = {
  async check({ visitor }) {
    const first = await visitor(PROGRAM).get('/price')
    assert.deepEqual(first.json(), { tea: 4 })
    const tag = first.headers.get('etag') ?? ''
    assert.match(tag, /^(?:W\/)?"[^"]+"$/)
    const second = await visitor(PROGRAM).get('/price', { headers: { 'if-none-match': tag } })
    assert.deepEqual([second.status, second.text], [304, ''])
    const third = await visitor(PROGRAM).get('/price', { headers: { 'if-none-match': '"another"' } })
    assert.equal(third.status, 200)
  },
}

export default task
