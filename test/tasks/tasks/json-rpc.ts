import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * A service at `/stock` has the procedure `stock.count`, which takes the name of an article (a text) and returns the
 * number of its pieces (an integer): 3 for `lamp`, 0 for what is unknown. Programs call it by JSON-RPC 2.0. A call
 * with an argument of another type is the error -32602.
 */
const task: Task = {
  async check({ visitor }) {
    const call = async (params: unknown) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'stock.count', params }
      return (await visitor().postJson('/stock', message)).json<{
        result?: number
        error?: { code: number }
      }>()
    }
    assert.equal((await call(['lamp'])).result, 3)
    assert.equal((await call(['table'])).result, 0)
    assert.equal((await call([7])).error?.code, -32602)
  },
}

export default task
