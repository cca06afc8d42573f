import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `GET /words` answers programs with a page of the list arch, gate, pillar, step, temple: two words a page, chosen by
 * the field `page`, which is 1 by default. The JSON has the words as `items` and the number of all words as `total`.
 * The header `Link` leads to the next and the previous page. A page beyond the end is 404.
 */
const task: Task = {
  async check({ visitor }) {
    const client = visitor(PROGRAM)
    const second = await client.get('/words', { query: { page: '2' } })
    const { items, total } = second.json<{ items: string[]; total: number }>()
    assert.deepEqual([items, total], [['pillar', 'step'], 5])
    assert.match(second.headers.get('link') ?? '', /page=3[^,]*rel="?next/)
    assert.match(second.headers.get('link') ?? '', /rel="?prev/)
    assert.deepEqual((await client.get('/words')).json<{ items: string[] }>().items, ['arch', 'gate'])
    assert.equal((await client.get('/words', { query: { page: '4' } })).status, 404)
  },
}

export default task
