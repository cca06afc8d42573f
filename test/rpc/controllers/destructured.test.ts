/** Tests of methods that destructure one object. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RPCController } from 'propylon/rpc'
import { RPCService } from './service.ts'

class NotesController extends RPCController {
  static faces = ['jsonrpc']

  inform({ title, tags = [] }: { title: string; tags?: string[] }) {
    return { title, tags }
  }

  list({ tag = 'any' }: { tag?: string } = {}) {
    return tag
  }
}

const service = new RPCService(NotesController)

/** Returns the result of a call by JSON-RPC, or its error. */
async function call(method: string, params: unknown): Promise<unknown> {
  const response = await service.postMessage(method, params)
  const { error, result } = JSON.parse(await response.text())
  return error ?? result
}

describe('a method that destructures one object', () => {
  for (const params of [{ title: 'tea' }, [{ title: 'tea' }]]) {
    it(`receives the members of ${JSON.stringify(params)}`, async () => {
      assert.deepEqual(await call('inform', params), { title: 'tea', tags: [] })
    })
  }

  for (const params of [{}, [{}], []]) {
    it(`may be called with ${JSON.stringify(params)} if it has defaults`, async () => {
      assert.equal(await call('list', params), 'any')
    })
  }

  for (const [params, message] of [
    [['tea'], /inform takes its parameters by name: pass one object/],
    [[['tea']], /inform takes its parameters by name: pass one object/],
    [[null], /inform takes its parameters by name: pass one object/],
    [[{}], /title/],
    [[{ title: 'tea', colour: 'red' }], /colour/],
    [[{ title: 'tea' }, 2], /inform/],
    [[], /inform/],
  ] as const) {
    it(`refuses ${JSON.stringify(params)}`, async () => {
      const { code, ...rest } = (await call('inform', params)) as { code: number }
      assert.equal(code, -32602)
      assert.match(JSON.stringify(rest), message)
    })
  }
})
