import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `GET /orders/7` should answer with the plain text `Order 7 of Joe`, and `GET /orders` with the JSON of all orders.
 * Both fail, and `npm run typecheck` reports why. Correct the project.
 */
const task: Task = {
  async check({ visitor }) {
    const one = await visitor().get('/orders/7')
    assert.deepEqual([one.status, one.text], [200, 'Order 7 of Joe'])
    assert.equal(one.contentType, 'text/plain')
    assert.deepEqual((await visitor(PROGRAM).get('/orders')).json(), [{ number: 7, buyer: 'Joe' }])
    assert.equal((await visitor().get('/orders/8')).status, 404)
  },
}

export default task
