import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, HTTPConflict, Response, redirect, XMLRPCController, xmlrpc_fault } from 'propylon'
import { decodeResponse, Fault } from 'propylon/xmlrpc'
import { TestService } from './service.ts'

class Faults extends XMLRPCController {
  thrown() {
    throw new Fault(7, 'thrown')
  }
  returned() {
    return new Fault(7, 'returned')
  }
  async thrown_later() {
    await null
    throw new Fault(7, 'thrown later')
  }
  async returned_later() {
    return new Fault(7, 'returned later')
  }
  made() {
    return xmlrpc_fault(7, 'made')
  }
  made_thrown() {
    throw xmlrpc_fault(7, 'made and thrown')
  }
  with_cookie() {
    this.response.setCookie('a', 'b')
    this.response.status = 202
    return xmlrpc_fault(7, 'with cookie')
  }
  accepted() {
    this.response.status = 202
    this.response.headers.set('X-Own', 'yes')
    return true
  }
  error() {
    throw new RangeError('the password is swordfish')
  }
  error_later() {
    return Promise.reject(new RangeError('the password is swordfish'))
  }
  throws_text() {
    throw 'swordfish'
  }
  nan() {
    return Number.NaN
  }
  nothing() {}
  nil() {
    return null
  }
  nul() {
    return 'a\0b'
  }
  circle() {
    const circle: unknown[] = []
    circle.push(circle)
    return circle
  }
  instance() {
    return new Map()
  }
  callback() {
    return () => 1
  }
  too_large() {
    return 2n ** 40n
  }
  odd_text() {
    return new Fault(7, 'a\0b < c')
  }
  forbidden() {
    abort(403, 'not you')
  }
  moved() {
    redirect('/elsewhere')
  }
  conflict() {
    return new HTTPConflict('taken')
  }
  page() {
    return new Response('a page', { status: 418 })
  }
  fetched() {
    return new globalThis.Response('fetched', { status: 203 })
  }
}

describe('a fault', () => {
  const service = new TestService(Faults)
  for (const [name, text] of Object.entries({
    thrown: 'thrown',
    returned: 'returned',
    thrown_later: 'thrown later',
    returned_later: 'returned later',
    made: 'made',
    made_thrown: 'made and thrown',
    odd_text: 'a\ufffdb < c',
  })) {
    it(`is the response for a fault that is ${name.replaceAll('_', ', ')}`, async () => {
      const { faultCode, faultString } = await service.fault(name)
      assert.deepEqual([faultCode, faultString], [7, text])
    })
  }

  it('has the status 200 whatever the status of the response, and keeps cookies', async () => {
    const { status, header, text } = await service.post('<methodCall><methodName>with_cookie</methodName></methodCall>')
    assert.equal(status, '200 OK')
    assert.equal(header('content-type'), 'text/xml; charset=utf-8')
    assert.equal(header('content-length'), String(text.length))
    assert.match(header('set-cookie') ?? '', /^a=b/)
  })

  it('is not logged', async () => {
    const quiet = new TestService(Faults)
    await quiet.fault('thrown')
    await quiet.fault('returned')
    assert.deepEqual(quiet.logged, [])
  })
})

describe('xmlrpc_fault()', () => {
  it('returns a response', () => {
    const response = xmlrpc_fault(4, 'Too many parameters.')
    assert.ok(response instanceof Response)
    assert.equal(response.status, 200)
    assert.equal(response.contentType, 'text/xml; charset=utf-8')
    assert.throws(() => decodeResponse(String(response.body)), {
      faultCode: 4,
      faultString: 'Too many parameters.',
    })
  })

  it('refuses an invalid code', () => {
    for (const code of [1.5, Number.NaN, 2 ** 31]) assert.throws(() => xmlrpc_fault(code, ''), TypeError)
  })
})

describe('an unexpected error', () => {
  const names = [
    'error',
    'error_later',
    'throws_text',
    'nan',
    'nothing',
    'nil',
    'circle',
    'instance',
    'callback',
    'too_large',
  ]
  for (const name of names) {
    it(`(${name}) is logged, and its text is not in the fault`, async () => {
      const service = new TestService(Faults)
      const { faultCode, faultString } = await service.fault(name)
      assert.equal(faultCode, -32603)
      assert.equal(faultString, 'The server met an error and could not answer the call.')
      // A procedure that gives no value is in the log before.
      const errors = service.logged.filter((line) => !line.includes('returns nothing'))
      assert.equal(errors.length, 1)
      assert.match(errors[0] ?? '', new RegExp(`^POST /rpc \\("${name}"\\)(?:\n|: )`))
    })
  }

  it('names the place of a character that XML forbids', async () => {
    const service = new TestService(Faults)
    const { faultCode, faultString } = await service.fault('nul')
    assert.equal(faultCode, -32603)
    assert.match(faultString, /^XML-RPC cannot send the result\. result: XML forbids the character U\+0000 at 1;/)
    assert.equal(service.logged.length, 1)
  })

  it('has its text in the fault in debug mode', async () => {
    const service = new TestService(Faults, { debug: true })
    assert.equal((await service.fault('error')).faultString, 'RangeError: the password is swordfish')
    assert.equal((await service.fault('throws_text')).faultString, 'swordfish')
    assert.match((await service.fault('nan')).faultString, /result: XML-RPC has no NaN/)
  })
})

describe('an HTTP response', () => {
  const service = new TestService(Faults)
  const call = (name: string) => service.post(`<methodCall><methodName>${name}</methodName></methodCall>`)

  for (const [name, status] of Object.entries({
    forbidden: '403 Forbidden',
    moved: '302 Found',
    conflict: '409 Conflict',
    page: "418 I'm a teapot",
    fetched: '203 Non-Authoritative Information',
  })) {
    it(`is sent as it is (${name})`, async () => {
      const answer = await call(name)
      assert.equal(answer.status.slice(0, 3), status.slice(0, 3))
      assert.doesNotMatch(answer.text, /methodResponse/)
    })
  }

  it('keeps its location', async () => {
    assert.match((await call('moved')).header('location') ?? '', /\/elsewhere$/)
  })

  it('can set the status and headers of a result', async () => {
    const { status, header } = await call('accepted')
    assert.equal(status, '202 Accepted')
    assert.equal(header('x-own'), 'yes')
  })
})
