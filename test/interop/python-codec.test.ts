import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeCall, encodeCall, FaultCode, XMLRPCDecodeError } from '../../src/rpc/xmlrpc/index.ts'
import { wireValue } from '../rpc/xmlrpc/arbitrary.ts'
import { hostileCalls } from '../rpc/xmlrpc/hostile-calls.ts'
import { structs } from '../rpc/xmlrpc/structs.ts'

/** Reads calls with xmlrpc.client and writes each again: `null` where it cannot read. */
const CODEC = `
import base64, json, sys, xmlrpc.client
out = []
for each in json.load(sys.stdin):
    try:
        params, method = xmlrpc.client.loads(base64.b64decode(each))
        text = xmlrpc.client.dumps(params, method, allow_none=True)
        out.append(base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode())
    except Exception as error:
        out.append(None)
json.dump(out, sys.stdout)
`

/** A program that parses documents with expat, as xmlrpc.client does, and prints `true` for each that is well formed. */
const EXPAT = `
import base64, json, sys
from xml.parsers import expat
out = []
for each in json.load(sys.stdin):
    try:
        expat.ParserCreate().Parse(base64.b64decode(each), True)
        out.append(True)
    except (expat.ExpatError, ValueError, LookupError):
        out.append(False)
json.dump(out, sys.stdout)
`

async function python<T>(script: string, documents: readonly Uint8Array[]): Promise<T[]> {
  const child = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(documents.map((each) => Buffer.from(each).toString('base64'))))
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()) as T[]
}

const utf8 = (text: string) => new TextEncoder().encode(text)

/** Without what xmlrpc.client does not write: 64-bit integers, and carriage returns as they are. */
const known = wireValue.filter((value) => {
  const document = encodeCall('a', [value], { allowNil: true, i8: true })
  return !document.includes('<i8>') && !document.includes('&#13;')
})

describe('Python’s xmlrpc.client', () => {
  it('reads what we write, and we read what it writes of that, over thousands of values', async () => {
    const calls = fc.sample(fc.array(known, { maxLength: 4 }), 3000)
    const options = { allowNil: true } as const
    const answers = await python<string | null>(
      CODEC,
      calls.map((params) => utf8(encodeCall('test.echo', params, options))),
    )
    calls.forEach((params, i) => {
      const answer = answers[i]
      assert.ok(answer, `Python cannot read ${encodeCall('test.echo', params, options)}`)
      const { methodName, params: back } = decodeCall(Buffer.from(answer, 'base64'), { doubles: 'wrapped' })
      assert.equal(methodName, 'test.echo')
      assert.deepStrictEqual(back, structs(params))
    })
  })
})

/** Expat reads what it should not: versions other than 1.x. */
const LAX = /<\?xml version=["'](?!1\.\d+["'])/

/** Clients that write surrogate pairs as two references are understood, though XML does not allow it. */
const JOINED = /&#(?:x[dD][89abAB]|5[56])/

describe('expat', () => {
  it('agrees with us on what is well formed, over the hostile calls and thousands of spoilt ones', async () => {
    const documents: Uint8Array[] = []
    for (const { body, contentType } of hostileCalls) {
      const bytes = typeof body === 'string' ? utf8(body) : body
      const lone = typeof body === 'string' && !body.isWellFormed()
      const doctype = typeof body === 'string' && body.includes('<!DOCTYPE')
      if (bytes.length < 100_000 && contentType === undefined && !lone && !doctype) documents.push(bytes)
    }
    const spoil = fc.record({
      params: fc.array(wireValue, { maxLength: 3 }),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      put: fc.uint8Array({ maxLength: 3 }),
      remove: fc.nat(4),
    })
    for (const { params, at, put, remove } of fc.sample(spoil, 5000)) {
      const bytes = utf8(encodeCall('a.b', params, { allowNil: true, i8: true }))
      const from = Math.floor(at * bytes.length)
      documents.push(Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + remove)]))
    }
    const answers = await python<boolean>(EXPAT, documents)
    documents.forEach((bytes, i) => {
      const document = Buffer.from(bytes).toString('latin1')
      const verdict = verdictOf(bytes)
      // Expat supports fewer encodings than this decoder.
      if (
        verdict === FaultCode.unsupportedEncoding ||
        /encoding=["'](?!utf-8|iso-8859-1|us-ascii|utf-16["'])/i.test(document)
      )
        return
      const refused = verdict === FaultCode.notWellFormed || verdict === FaultCode.invalidCharacter
      if (refused && !LAX.test(document)) {
        assert.equal(answers[i], false, `only we refuse ${JSON.stringify(document)}`)
      }
      if (verdict === 'ok' && !JOINED.test(document)) {
        assert.equal(answers[i], true, `only expat refuses ${JSON.stringify(document)}`)
      }
    })
  })
})

function verdictOf(body: Uint8Array): 'ok' | number {
  try {
    decodeCall(body)
    return 'ok'
  } catch (error) {
    if (error instanceof XMLRPCDecodeError) return error.faultCode
    throw error
  }
}
