import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeCall, decodeResponse, double, encodeCall, encodeResponse, Fault } from 'propylon/xmlrpc'
import { text, wireValue } from './arbitrary.ts'
import { structs } from './structs.ts'

const encoding = { allowNil: true, i8: true } as const
const decoding = { doubles: 'wrapped' } as const

describe('decoding an encoded document', () => {
  it('returns the parameters, with their types at every depth', () => {
    fc.assert(
      fc.property(fc.array(wireValue, { maxLength: 5 }), (params) => {
        const call = decodeCall(encodeCall('a.b', params, encoding), decoding)
        assert.equal(call.methodName, 'a.b')
        assert.deepStrictEqual(call.params, structs(params))
        assert.equal(encodeCall('a.b', call.params, encoding), encodeCall('a.b', params, encoding))
      }),
      { numRuns: 300 },
    )
  })

  it('returns the result, from text and from bytes', () => {
    fc.assert(
      fc.property(wireValue, (value) => {
        const document = encodeResponse(value, encoding)
        assert.deepStrictEqual(decodeResponse(document, decoding), structs(value))
        assert.deepStrictEqual(decodeResponse(new TextEncoder().encode(document), decoding), structs(value))
      }),
      { numRuns: 200 },
    )
  })

  it('returns every finite number, which is encoded without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const document = encodeResponse(double(number))
        assert.match(document, /<double>-?\d+\.\d+<\/double>/)
        assert.ok(Object.is(decodeResponse(document), number))
      }),
      { numRuns: 1000 },
    )
  })

  it('throws the fault', () => {
    fc.assert(
      fc.property(fc.integer(), text, (code, message) => {
        assert.throws(
          () => decodeResponse(encodeResponse(new Fault(code, message))),
          (error) => {
            assert.ok(error instanceof Fault)
            assert.equal(error.faultCode, code)
            assert.equal(error.faultString, message)
            return true
          },
        )
      }),
    )
  })
})
