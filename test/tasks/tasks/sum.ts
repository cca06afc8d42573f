import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `GET /sum?a=1&b=2` answers with the JSON `{"sum":3}`. If `a` or `b` is missing or is not an integer, programs
 * receive status 400 and a problem document, whose `errors` name the wrong field.
 */
const task: Task = {
  async check({ visitor }) {
    const right = await visitor(PROGRAM).get('/sum', { query: { a: '20', b: '-3' } })
    assert.deepEqual(right.json(), { sum: 17 })
    for (const [query, field] of [
      [{ a: '1', b: 'two' }, 'b'],
      [{ b: '2' }, 'a'],
    ] as const) {
      const wrong = await visitor(PROGRAM).get('/sum', { query })
      assert.equal(wrong.status, 400)
      assert.equal(wrong.contentType, 'application/problem+json')
      const { errors } = wrong.json<{ errors: readonly { name: string }[] }>()
      assert.deepEqual(
        errors.map(({ name }) => name),
        [field],
      )
    }
  },
}

export default task
