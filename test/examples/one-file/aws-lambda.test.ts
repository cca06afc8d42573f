import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { toFetch } from 'propylon/fetch'
import { handler, type LambdaEvent, lambdaHandler } from '../../../examples/aws-lambda.ts'

class EchoController extends WSGIController {
  async size() {
    return `${(await this.request.bytes()).length} bytes`
  }

  url_of() {
    return this.request.url
  }

  pixel() {
    return new Uint8Array([0x47, 0x49, 0x46, 0xff])
  }
}

const echo = lambdaHandler(
  toFetch(
    new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}').connect('/{controller}/{action}/{id}'),
      controllers: { echo: EchoController },
    }),
  ),
)

/** Returns an event of an HTTP API, in the payload format 2.0. */
function event(changes: Partial<LambdaEvent>, method = 'GET'): LambdaEvent {
  return {
    rawPath: '/',
    rawQueryString: '',
    headers: { host: 'shop.example', accept: '*/*', 'x-forwarded-for': '203.0.113.9' },
    isBase64Encoded: false,
    requestContext: { domainName: 'shop.example', http: { method, sourceIp: '203.0.113.9' } },
    ...changes,
  }
}

describe('the example for AWS Lambda', () => {
  it('answers with status, headers, cookies and a body of text', async () => {
    const { headers, body, ...result } = await handler(event({}))
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['set-cookie'], undefined)
    assert.deepEqual(JSON.parse(body), { visits: 1, from: '203.0.113.9' })
    assert.deepEqual(result, {
      statusCode: 200,
      cookies: ['visits=1; Path=/; HttpOnly; SameSite=Lax'],
      isBase64Encoded: false,
    })
  })

  it('reads the cookies of the event', async () => {
    const { body } = await handler(event({ cookies: ['theme=dark', 'visits=6'] }))
    assert.equal(JSON.parse(body).visits, 7)
  })

  for (const [title, body, isBase64Encoded, size] of [
    ['text', 'größe', false, 7],
    ['bytes', Buffer.from([0, 255, 254]).toString('base64'), true, 3],
    ['no body', undefined, false, 0],
  ] as const) {
    it(`reads a request with ${title}`, async () => {
      const changes = { rawPath: '/echo/size', isBase64Encoded, ...(body === undefined ? {} : { body }) }
      const result = await echo(event(changes, 'POST'))
      assert.deepEqual([result.statusCode, result.body], [200, `${size} bytes`])
    })
  }

  it('encodes a response that is not UTF-8 in base64', async () => {
    const { body, isBase64Encoded } = await echo(event({ rawPath: '/echo/pixel' }))
    assert.equal(isBase64Encoded, true)
    assert.deepEqual([...Buffer.from(body, 'base64')], [0x47, 0x49, 0x46, 0xff])
  })

  for (const [rawPath, path] of [
    ['/echo/url_of/a b', '/echo/url_of/a%20b'],
    ['/echo/url_of/a?b#c', '/echo/url_of/a%3Fb%23c'],
    ['/echo/url_of/ü', '/echo/url_of/%C3%BC'],
    ['/echo/url_of/100%', '/echo/url_of/100%25'],
    ['/echo/url_of/a%2Fb', '/echo/url_of/a%2Fb'],
  ] as const) {
    it(`reads the path ${rawPath}`, async () => {
      const { body } = await echo(event({ rawPath, rawQueryString: 'q=1' }))
      assert.equal(body, `https://shop.example${path}?q=1`)
    })
  }

  it('answers a path that no route matches with 404, and HEAD without a body', async () => {
    assert.equal((await handler(event({ rawPath: '/nothing/here' }))).statusCode, 404)
    const head = await handler(event({}, 'HEAD'))
    assert.deepEqual([head.statusCode, head.body], [200, ''])
  })
})
