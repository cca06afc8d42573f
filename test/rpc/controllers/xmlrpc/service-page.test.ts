import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'parse5'
import { XMLRPCController } from 'propylon'
import { TestService } from './service.ts'

class ShopController extends XMLRPCController {
  static override description = 'Sells <things> & more'
  static override signatures = {
    buy: [
      ['boolean', 'string'],
      ['boolean', 'string', 'int'],
    ],
    many_types: [['nil', 'i8', 'nil', 'base64', 'dateTime.iso8601', 'struct', 'array', 'double', 'boolean']],
  }
  static override publicNames = { sell: 'shop/sell' }
  /** Buys something: <script>alert('x')</script> & "more". */
  buy(item: string, count = 1) {
    return item !== '' && count > 0
  }
  many_types() {
    return null
  }
  sell(item: string, count = 1) {
    return item !== '' && count > 0
  }
}
const service = new TestService(ShopController)

describe('the page of a service', () => {
  it('has the name, signatures and help of each method', async () => {
    const { status, header, text } = await service.send({ method: 'GET', url: 'http://shop.example/rpc?x=1' })
    assert.equal(status, '200 OK')
    assert.equal(header('content-type'), 'text/html; charset=utf-8')
    assert.match(text, /<h1>Shop<\/h1>/)
    assert.match(text, /Sells &lt;things&gt; &amp; more/)
    assert.match(text, /<code>http:\/\/shop\.example\/rpc<\/code>/)
    assert.match(text, /<h2>buy<\/h2>/)
    assert.match(text, /buy\(item: string\): boolean\nbuy\(item: string, count: int\): boolean/)
    assert.match(text, /<h2>system\.listMethods<\/h2>/)
    assert.match(text, /<h2>shop\/sell<\/h2>/)
    assert.match(text, /<pre class="text">shop\/sell\(item, count\?\)<\/pre>/)
  })

  it('is well-formed HTML', async () => {
    const errors: string[] = []
    parse((await service.send({ method: 'GET' })).text, { onParseError: ({ code }) => errors.push(code) })
    assert.deepEqual(errors, [])
  })

  it('escapes help, and allows no scripts', async () => {
    const { text, header } = await service.send({ method: 'GET' })
    assert.doesNotMatch(text, /<script/)
    assert.match(text, /&lt;script&gt;alert\(&#39;x&#39;\)/)
    const policy = header('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(header('x-content-type-options'), 'nosniff')
  })

  it('allows its own style by its hash', async () => {
    const { text, header } = await service.send({ method: 'GET' })
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
    const hash = Buffer.from(digest).toString('base64')
    assert.ok(header('content-security-policy')?.includes(`'sha256-${hash}'`))
  })

  it('has no body for HEAD', async () => {
    const got = await service.send({ method: 'GET' })
    const head = await service.send({ method: 'HEAD' })
    assert.equal(head.status, '200 OK')
    assert.equal(head.bytes.length, 0)
    assert.equal(head.header('content-length'), got.header('content-length'))
  })

  it('is shown to who comes from another site', async () => {
    const { status } = await service.send({ method: 'GET', headers: [['Sec-Fetch-Site', 'cross-site']] })
    assert.equal(status, '200 OK')
  })
})
