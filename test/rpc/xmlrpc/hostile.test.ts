import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  Binary,
  DateTime,
  decodeCall,
  decodeResponse,
  Fault,
  FaultCode,
  type Struct,
  type Value,
  XMLRPCDecodeError,
} from 'propylon/xmlrpc'
import { hostileCalls } from './hostile-calls.ts'

const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(FaultCode))

function toJson(value: Value): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof DateTime) return value.text
  if (value instanceof Binary) return value.toString()
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toJson(each as Value)]))
  }
  return value
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /charset="?([^";]+)"?/.exec(contentType ?? '')?.[1]
}

describe('malformed, odd and hostile calls', () => {
  it('are at least 300, with different names', () => {
    assert.ok(hostileCalls.length >= 300)
    assert.equal(new Set(hostileCalls.map(({ name }) => name)).size, hostileCalls.length)
  })

  for (const { name, body, contentType, expect, params } of hostileCalls) {
    const decode = () => decodeCall(body, { charset: charsetOf(contentType) })
    if (expect === 'ok') {
      it(`decodes ${name}`, () => {
        const call = decode()
        assert.equal(call.methodName, 'test.echo')
        assert.equal(call.types.length, call.params.length)
        if (params !== undefined) assert.deepEqual(call.params.map(toJson), params)
      })
    } else {
      it(`refuses ${name} with ${expect}`, () => {
        assert.ok(KNOWN_CODES.has(expect))
        assert.throws(decode, (error) => {
          assert.ok(error instanceof XMLRPCDecodeError, String(error))
          assert.equal(error.faultCode, expect, error.message)
          assert.ok(error.offset >= 0 && error.offset <= body.length, String(error.offset))
          assert.ok(error.message.length < 400, 'the length of the message does not depend on the document')
          return true
        })
      })
    }
  }
})

describe('a decoder', () => {
  it('never throws anything but a fault or an error with a place for any text', () => {
    const tags = ['methodCall', 'methodName', 'methodResponse', 'params', 'param', 'value', 'int', 'fault']
    const types = ['array', 'data', 'struct', 'member', 'name', 'string', 'ex:i1', 'nil']
    const piece = fc.constantFrom(
      ...['<', '>', '/', '&', '&#65;', '"', '!--', '-->', '<!DOCTYPE a [', ']>', '<?xml ', '?>', '\0', 'x', '5'],
      ...[...tags, ...types].flatMap((tag) => [`<${tag}>`, `</${tag}>`, `<${tag}/>`]),
    )
    const attempt = (decode: () => unknown) => {
      try {
        decode()
      } catch (error) {
        assert.ok(error instanceof Fault || error instanceof XMLRPCDecodeError, String(error))
        if (error instanceof XMLRPCDecodeError) assert.ok(error.offset >= 0)
      }
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        attempt(() => decodeResponse(text))
        attempt(() => decodeResponse(`<methodResponse><params><param>${text}`))
        attempt(() => decodeCall(`<methodCall><methodName>a</methodName><params><param><value>${text}`))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('decoded structs', () => {
  it('have no prototype, and do not change the prototypes of other objects', () => {
    for (const { name, body, expect } of hostileCalls) {
      if (expect !== 'ok' || !name.startsWith('member ')) continue
      const [struct] = decodeCall(body).params as [Struct]
      assert.equal(Object.getPrototypeOf(struct), null)
      assert.deepEqual(Object.keys(struct), [name.slice('member '.length)])
    }
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })
})
