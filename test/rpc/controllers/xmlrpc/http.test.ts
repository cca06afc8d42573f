import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { XMLRPCController } from 'propylon'
import type { HeaderPair } from 'propylon/wsgi'
import { decodeResponse, encodeCall } from 'propylon/xmlrpc'
import { TestService } from './service.ts'

class Echo extends XMLRPCController {
  static override max_body_length = 10_000
  echo(value: string) {
    return value
  }
}
class Quiet extends Echo {
  static override browsable = false
}
const service = new TestService(Echo)
const call = encodeCall('echo', ['hello'])
const TYPE: HeaderPair = ['Content-Type', 'text/xml']

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

describe('a response', () => {
  it('is text/xml in UTF-8 with Content-Length', async () => {
    const { status, header, headers, bytes } = await service.post(encodeCall('echo', ['häßlich \u{1f600}']))
    assert.equal(status, '200 OK')
    assert.equal(header('content-type'), 'text/xml; charset=utf-8')
    assert.equal(header('content-length'), String(bytes.length))
    assert.equal(headers.filter(([name]) => /^content-(type|length)$/i.test(name)).length, 2)
  })

  for (const [name, body] of Object.entries({
    'of an unknown method': encodeCall('nope'),
    'of wrong parameters': encodeCall('echo'),
    'of no XML': 'hello',
    'of no XML-RPC': '<html/>',
  })) {
    it(`that is a fault ${name} has status 200 and the same type`, async () => {
      const { status, header, bytes } = await service.post(body)
      assert.equal(status, '200 OK')
      assert.equal(header('content-type'), 'text/xml; charset=utf-8')
      assert.equal(header('content-length'), String(bytes.length))
    })
  }
})

describe('the content type of a call', () => {
  for (const type of ['text/xml', 'TEXT/XML; charset=UTF-8', 'application/xml', 'application/rpc+xml']) {
    it(`can be ${type}`, async () => {
      const { text } = await service.send({ body: call, headers: [['Content-Type', type]] })
      assert.equal(decodeResponse(text), 'hello')
    })
  }

  it('can be missing', async () => {
    assert.equal(decodeResponse((await service.send({ body: call })).text), 'hello')
  })

  it('determines the charset', async () => {
    const body = Buffer.from(call.replace('encoding="UTF-8"', '').replace('hello', 'h\xe4\xdflich'), 'latin1')
    const { text } = await service.send({ body, headers: [['Content-Type', 'text/xml; charset=iso-8859-1']] })
    assert.equal(decodeResponse(text), 'häßlich')
  })

  it('with an unknown charset is a fault', async () => {
    const { text } = await service.send({
      body: call,
      headers: [['Content-Type', 'text/xml; charset=klingon']],
    })
    assert.match(text, /-32701/)
  })

  for (const type of [
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]) {
    it(`cannot be ${type}`, async () => {
      const { status, header } = await service.send({ body: call, headers: [['Content-Type', type]] })
      assert.equal(status, '415 Unsupported Media Type')
      assert.equal(header('accept'), 'text/xml')
    })

    it(`does not allow a call of ${type} from a page of another site`, async () => {
      const headers: [string, string][] = [
        ['Content-Type', type],
        ['Origin', 'https://evil.example'],
      ]
      assert.equal((await service.send({ body: call, headers })).status, '403 Forbidden')
    })
  }
})

describe('the length of a call', () => {
  it('is required, unless the body is chunked', async () => {
    assert.equal((await service.send({ headers: [TYPE] })).status, '411 Length Required')
  })

  it('must not be 0', async () => {
    assert.equal((await service.post('')).status, '411 Length Required')
    assert.equal((await service.send({ body: '' })).status, '411 Length Required')
    assert.equal((await service.post('', ['Content-Encoding', 'unknown'])).status, '411 Length Required')
    assert.equal((await service.post(chunks(), ['Transfer-Encoding', 'chunked'])).status, '411 Length Required')
  })

  it('can be unknown', async () => {
    const half = call.length / 2
    const body = chunks(call.slice(0, half), call.slice(half))
    const { text } = await service.post(body, ['Transfer-Encoding', 'chunked'])
    assert.equal(decodeResponse(text), 'hello')
  })

  it('must not be greater than the length of the body', async () => {
    assert.equal((await service.post(call, ['Content-Length', '9000'])).status, '400 Bad Request')
  })

  function ofLength(length: number): string {
    return call.padEnd(length, ' ')
  }

  it('can be equal to the limit', async () => {
    assert.equal(decodeResponse((await service.post(ofLength(10_000))).text), 'hello')
    const body = chunks(ofLength(10_000))
    assert.equal(decodeResponse((await service.post(body, ['Transfer-Encoding', 'chunked'])).text), 'hello')
  })

  it('above the limit is refused, with the limit in the message', async () => {
    for (const answer of [
      await service.post(ofLength(10_001)),
      await service.post(chunks(ofLength(6_000), ofLength(6_000)), ['Transfer-Encoding', 'chunked']),
      await service.post(gzipSync(ofLength(10_001)), ['Content-Encoding', 'gzip']),
    ]) {
      assert.match(answer.status, /^413 /)
      assert.match(answer.text, /10000 bytes/)
    }
  })

  it('above the limit is refused before the body is read', async () => {
    let read = false
    async function* body(): AsyncGenerator<Uint8Array> {
      read = true
      yield new Uint8Array(1)
    }
    assert.match((await service.post(body(), ['Content-Length', '10001'])).status, /^413 /)
    assert.equal(read, false)
  })

  it('is limited to 4 MiB by default', () => {
    assert.equal(XMLRPCController.max_body_length, 4_194_304)
  })
})

describe('compression', () => {
  it('of a call can be gzip or deflate', async () => {
    const { text } = await service.post(gzipSync(call), ['Content-Encoding', 'gzip'])
    assert.equal(decodeResponse(text), 'hello')
  })

  for (const coding of ['br', 'compress', 'gzip, gzip', 'nonsense']) {
    it(`of a call must not be ${coding}`, async () => {
      const { status } = await service.post(call, ['Content-Encoding', coding])
      assert.equal(status, '415 Unsupported Media Type')
    })
  }

  it('of a call must have the declared coding', async () => {
    assert.equal((await service.post(call, ['Content-Encoding', 'gzip'])).status, '400 Bad Request')
  })

  const long = encodeCall('echo', ['x'.repeat(5_000)])

  it('of a long response is used if the client accepts it', async () => {
    const { header, headers, bytes } = await service.post(long, ['Accept-Encoding', 'deflate, gzip'])
    assert.equal(header('content-encoding'), 'gzip')
    assert.equal(header('content-length'), String(bytes.length))
    assert.equal(headers.filter(([name]) => name.toLowerCase() === 'content-length').length, 1)
    assert.match(header('vary') ?? '', /accept-encoding/i)
    assert.equal(decodeResponse(gunzipSync(bytes)), 'x'.repeat(5_000))
  })

  it('keeps the Vary of the controller when it compresses', async () => {
    const vary = new TestService(
      class extends Echo {
        __before__() {
          this.response.headers.set('Vary', 'Cookie')
        }
      },
    )
    const { headers } = await vary.post(long, ['Accept-Encoding', 'gzip'])
    const fields = headers.filter(([name]) => name.toLowerCase() === 'vary').map(([, value]) => value)
    assert.deepEqual(fields.join(', ').split(', '), ['Cookie', 'Accept-Encoding'])
  })

  for (const accepted of ['identity', 'br', 'gzip;q=0', '']) {
    it(`of a response is not used if the client accepts ${accepted || 'nothing'}`, async () => {
      const { header, bytes } = await service.post(long, ['Accept-Encoding', accepted])
      assert.equal(header('content-encoding'), undefined)
      assert.equal(decodeResponse(bytes), 'x'.repeat(5_000))
    })
  }

  it('of a response is not used without Accept-Encoding, or if the response is short', async () => {
    assert.equal((await service.post(long)).header('content-encoding'), undefined)
    const short = await service.post(call, ['Accept-Encoding', 'gzip'])
    assert.equal(short.header('content-encoding'), undefined)
    assert.equal(decodeResponse(short.bytes), 'hello')
  })

  it('is not used for HTTP errors', async () => {
    const { status, header } = await service.send({ headers: [['Accept-Encoding', 'gzip']] })
    assert.equal(status, '411 Length Required')
    assert.equal(header('content-encoding'), undefined)
  })
})

describe('the method of a request', () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    it(`must not be ${method}`, async () => {
      const { status, header } = await service.send({ method, body: call, headers: [TYPE] })
      assert.equal(status, '405 Method Not Allowed')
      assert.equal(header('allow'), 'GET, HEAD, OPTIONS, POST')
    })
  }

  it('must not be GET without a page', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, header } = await new TestService(Quiet).send({ method })
      assert.equal(status, '405 Method Not Allowed')
      assert.equal(header('allow'), 'OPTIONS, POST')
    }
  })

  it('can be OPTIONS, which lists the others', async () => {
    assert.equal((await service.send({ method: 'OPTIONS' })).header('allow'), 'GET, HEAD, OPTIONS, POST')
    assert.equal((await new TestService(Quiet).send({ method: 'OPTIONS' })).header('allow'), 'OPTIONS, POST')
  })
})

describe('the path of a call', () => {
  it('can be longer than that of the controller', async () => {
    const { text } = await service.send({ url: '/rpc/RPC2', body: call, headers: [TYPE] })
    assert.equal(decodeResponse(text), 'hello')
  })

  it('does not run methods with an underscore', async () => {
    for (const method of ['POST', 'GET']) {
      const { status } = await service.send({ method, url: '/rpc/_echo', body: call, headers: [TYPE] })
      assert.equal(status, '404 Not Found')
    }
  })
})

describe('a call from a browser', () => {
  const refused: Record<string, HeaderPair[]> = {
    'of a page of another site': [['Sec-Fetch-Site', 'cross-site']],
    'of a page of a neighbour': [['Sec-Fetch-Site', 'same-site']],
    'of another origin': [['Origin', 'https://evil.example']],
    'of another port': [['Origin', 'http://localhost:8080']],
    'of a hidden origin': [['Origin', 'null']],
    'of an origin that is none': [['Origin', 'localhost']],
  }
  for (const [name, headers] of Object.entries(refused)) {
    it(`${name} is refused`, async () => {
      assert.equal((await service.post(call, ...headers)).status, '403 Forbidden')
    })
  }

  const passed: Record<string, HeaderPair[]> = {
    'of a page of this site': [['Sec-Fetch-Site', 'same-origin']],
    'of this site behind a proxy': [
      ['Sec-Fetch-Site', 'same-origin'],
      ['Origin', 'https://www.example.com'],
    ],
    'of nobody but the user': [['Sec-Fetch-Site', 'none']],
    'of this origin': [['Origin', 'http://localhost']],
  }
  for (const [name, headers] of Object.entries(passed)) {
    it(`${name} is allowed`, async () => {
      assert.equal(decodeResponse((await service.post(call, ...headers)).text), 'hello')
    })
  }
})
