import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * `GET /visits` answers with the plain text `Visit 1`, and counts up with each visit of the same browser, by the
 * session. `POST /visits/forget` ends the session and redirects to `/visits` with status 303. It may not be called by
 * GET.
 */
const task: Task = {
  async check({ visitor }) {
    const ann = visitor()
    assert.equal((await ann.get('/visits')).text, 'Visit 1')
    assert.equal((await ann.get('/visits')).text, 'Visit 2')
    assert.equal((await visitor().get('/visits')).text, 'Visit 1')
    assert.equal((await ann.get('/visits/forget')).status, 405)
    const forgotten = await ann.post('/visits/forget')
    assert.deepEqual([forgotten.status, forgotten.headers.get('location')], [303, '/visits'])
    assert.equal((await ann.get('/visits')).text, 'Visit 1')
  },
}

export default task
