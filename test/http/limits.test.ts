import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Request } from 'propylon'
import { createEnviron } from 'propylon/wsgi'

const environ = () => createEnviron({ method: 'POST', body: 'text' })

describe('the limits of a request', () => {
  for (const limit of [Number.NaN, -1]) {
    it(`refuse ${limit}`, async () => {
      const refused = { name: 'RangeError', message: /body.* is .*Give a number/ }
      assert.throws(() => new Request(environ(), { body: limit }), refused)
      assert.throws(() => {
        new Request(environ()).limits = { body: limit }
      }, refused)
      await assert.rejects(new Request(environ()).bytes(limit), refused)
    })
  }

  it('keep a value for which undefined is given', async () => {
    const limits: object = { body: undefined, depth: 3 }
    const request = new Request(environ(), limits)
    assert.deepEqual([request.limits.body, request.limits.depth], [1024 * 1024, 3])
    request.limits = { body: 2 }
    request.limits = limits
    await assert.rejects(request.bytes(), { status: 413 })
  })
})
