import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `GET /prices` answers with the JSON `{"tea":4}`. Pages of `https://shop.example` may read it, and pages of no other
 * site. Preflight requests of that site are answered.
 */
const task: Task = {
  async check({ visitor }) {
    const own = await visitor(PROGRAM).get('/prices', { headers: { origin: 'https://shop.example' } })
    assert.deepEqual(own.json(), { tea: 4 })
    assert.equal(own.headers.get('access-control-allow-origin'), 'https://shop.example')
    const other = await visitor(PROGRAM).get('/prices', { headers: { origin: 'https://other.example' } })
    assert.equal(other.headers.get('access-control-allow-origin'), null)
    const preflight = await visitor().options('/prices', {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    })
    assert.ok(preflight.status < 300)
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example')
  },
}

export default task
