import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HTTPBadRequest } from '../../src/http/exceptions.ts'
import { parseJson } from '../../src/http/json.ts'
import { isDeeperThan } from '../../src/http/json-depth.ts'
import { Request } from '../../src/http/request.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'

function refusal(text: string): HTTPBadRequest {
  try {
    parseJson(text)
  } catch (error) {
    assert.ok(error instanceof HTTPBadRequest, String(error))
    return error
  }
  return assert.fail('it was accepted')
}

describe('parseJson', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'))
        const text = JSON.stringify(value)
        assert.equal(JSON.stringify(parseJson(text)), text)
      }),
    )
  })

  it('states the position of an error that the runtime reports', () => {
    assert.equal(refusal('{"a": 1, b}').detail, 'The body of the request is malformed JSON at position 9.')
  })

  it('repeats no part of the text', () => {
    for (const text of [
      '{"password": "secret", oops}',
      'secret',
      '"secret',
      '{"a": in JSON at position 9secret}',
    ]) {
      assert.doesNotMatch(refusal(text).message, /secret|oops|9/)
    }
  })

  for (const text of ['', ' ', '{', '[1,', '"', '{"a":1}}', 'undefined', "{'a':1}", '\u0000', 'NaN']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.match(
        refusal(text).detail ?? '',
        /^The body of the request is malformed JSON( at position \d+)?\.$/,
      )
    })
  }

  for (const text of [
    '{"__proto__": {"admin": true}}',
    '[{"a": {"__proto__": null}}]',
    '{"\\u005f_proto_\\u005F": 1}',
    '{"__proto__"\n:1}',
  ]) {
    it(`refuses the key __proto__ in ${text}`, () => {
      assert.match(refusal(text).detail ?? '', /__proto__/)
      assert.equal('admin' in {}, false)
    })
  }

  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}"[[[[[{"${'}]'.repeat(depth / 2)}`

  it('accepts what is nested 100 deep', () => {
    assert.deepEqual(parseJson(nested(100)), JSON.parse(nested(100)))
  })

  for (const [title, text] of [
    ['102 deep', nested(102)],
    ['100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['and never closed', '[{"a":'.repeat(100_000)],
    ['behind a key __proto__', `{"__proto__":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ] as const) {
    it(`refuses what is nested ${title}`, () => {
      assert.equal(refusal(text).detail, 'The JSON of the request is nested more than 100 deep.')
    })
  }

  for (const text of [
    '"\\"[[',
    '"[[[',
    '["\\\\","[","\\"["]',
    `"${'['.repeat(200)}"`,
    `[${'[],'.repeat(200)}[]]`,
  ]) {
    it(`takes ${text.slice(0, 20)} for no deeper than it is`, () => {
      assert.equal(isDeeperThan(2, text), false)
    })
  }

  it('lets a request say how deep is too deep', async () => {
    const environ = () =>
      createEnviron({ method: 'POST', headers: [['Content-Type', 'application/json']], body: '[[[]]]' })
    assert.deepEqual(await new Request(environ(), { depth: 3 }).json(), [[[]]])
    await assert.rejects(new Request(environ(), { depth: 2 }).json(), HTTPBadRequest)
  })

  for (const text of [
    '{"a": "__proto__"}',
    '["__proto__"]',
    '{"__PROTO__": 1}',
    '{"a":"\\"__proto__\\":"}',
  ]) {
    it(`accepts ${text}`, () => {
      assert.deepEqual(parseJson(text), JSON.parse(text))
    })
  }
})
