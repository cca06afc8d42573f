import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type HTTPException, Request, type RequestLimits } from 'propylon'
import { createEnviron } from 'propylon/wsgi'
import { rejection } from './rejection.ts'

function parse(body: string, limits?: Partial<RequestLimits>): Promise<unknown> {
  const headers: [string, string][] = [['Content-Type', 'application/json']]
  return new Request(createEnviron({ method: 'POST', headers, body }), limits).json()
}

function refusal(text: string, limits?: Partial<RequestLimits>): Promise<HTTPException> {
  return rejection(parse(text, limits))
}

describe('Request.json', () => {
  it('parses the text of JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('__proto__'))
        assert.equal(JSON.stringify(await parse(text)), JSON.stringify(JSON.parse(text.toWellFormed())))
      }),
    )
  })

  it('states the position of an error that the runtime reports', async () => {
    const { status, detail } = await refusal('{"a": 1, b}')
    assert.deepEqual([status, detail], [400, 'The body of the request is malformed JSON at position 9.'])
  })

  it('does not quote the text in an error', async () => {
    for (const text of ['{"password": "secret", oops}', 'secret', '"secret', '{"a": in JSON at position 9secret}']) {
      assert.doesNotMatch((await refusal(text)).message, /secret|oops|9/)
    }
  })

  for (const text of ['', ' ', '{', '[1,', '"', '{"a":1}}', 'undefined', "{'a':1}", '\u0000', 'NaN']) {
    it(`refuses ${JSON.stringify(text)}`, async () => {
      assert.match(
        (await refusal(text)).detail ?? '',
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
    it(`refuses the key __proto__ in ${text}`, async () => {
      assert.match((await refusal(text)).detail ?? '', /__proto__/)
      assert.equal('admin' in {}, false)
    })
  }

  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}"[[[[[{"${'}]'.repeat(depth / 2)}`

  it('accepts a nesting depth of 100', async () => {
    assert.deepEqual(await parse(nested(100)), JSON.parse(nested(100)))
  })

  for (const [title, text] of [
    ['102 deep', nested(102)],
    ['100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['and never closed', '[{"a":'.repeat(100_000)],
    ['behind a key __proto__', `{"__proto__":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ] as const) {
    it(`refuses JSON nested ${title}`, async () => {
      assert.equal((await refusal(text)).detail, 'The JSON of the request is nested more than 100 deep.')
    })
  }

  for (const text of ['"\\"[["', '"[[["', '["\\\\","[","\\"["]', `"${'['.repeat(200)}"`, `[${'[],'.repeat(200)}[]]`]) {
    it(`does not count brackets in strings, nor siblings: ${text.slice(0, 20)}`, async () => {
      assert.deepEqual(await parse(text, { depth: 2 }), JSON.parse(text))
    })
  }

  it('refuses an unclosed string of brackets as malformed', async () => {
    assert.match((await refusal('"[[[', { depth: 2 })).detail ?? '', /malformed/)
  })

  it('has a configurable nesting depth', async () => {
    assert.deepEqual(await parse('[[[]]]', { depth: 3 }), [[[]]])
    assert.equal((await refusal('[[[]]]', { depth: 2 })).status, 400)
  })

  for (const text of ['{"a": "__proto__"}', '["__proto__"]', '{"__PROTO__": 1}', '{"a":"\\"__proto__\\":"}']) {
    it(`accepts ${text}`, async () => {
      assert.deepEqual(await parse(text), JSON.parse(text))
    })
  }
})
