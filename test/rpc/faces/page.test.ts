/** The page of a service for people. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callSignature, RPCController } from 'propylon/rpc'
import { RPCService } from '../controllers/service.ts'
import { stockApp } from './stock.ts'

class MeterController extends RPCController {
  static faces = ['xmlrpc']
  static override signatures = {
    note: callSignature('boolean', 'i8', 'struct', 'dateTime.iso8601', 'base64', 'array'),
  }

  note(...values: [bigint, object, unknown, unknown, unknown[]]) {
    return values.length === 5
  }
}

async function page(debug: boolean, host = 'localhost') {
  const response = await stockApp({ debug }).fetch(new Request(`http://${host}/stock`))
  return { text: await response.text(), policy: response.headers.get('Content-Security-Policy') ?? '' }
}

describe('the page of a service', () => {
  it('has the title of the service', async () => {
    const { text } = await page(false)
    assert.match(text, /<title>Stock of the shop<\/title>/)
    assert.match(text, /<h1>Stock of the shop<\/h1>/)
  })

  it('has a call of XML-RPC with a value of each type', async () => {
    const html = await (await new RPCService(MeterController).send('GET', '/stock')).text()
    const text = html
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll(/\s+(?=<)/g, '')
    for (const value of [
      '<methodName>note</methodName>',
      '<value><i8>4</i8></value>',
      '<value><struct><member><name>name</name><value><string>text</string></value></member></struct></value>',
      '<value><dateTime.iso8601>19980717T14:08:55</dateTime.iso8601></value>',
      '<value><base64>Ynl0ZXM=</base64></value>',
    ])
      assert.ok(text.includes(value), `${value} in ${text}`)
    assert.match(text, /note\(i8, struct, dateTime\.iso8601, base64, array\): boolean/)
  })

  it('has the own methods before those of the framework', async () => {
    const { text } = await page(false)
    const methods = [...text.matchAll(/<section id="(.*?)"/g)].map(([, name]) => name)
    assert.deepEqual(methods, [
      'blocks',
      'breaks',
      'greet',
      'inform',
      'nothing',
      'page',
      'refuse',
      'stock.broken',
      'stock.count',
      'stock.find',
      'stock.order',
      'system.listMethods',
      'system.methodHelp',
      'system.methodSignature',
    ])
  })

  it('has the names, types and descriptions of parameters', async () => {
    const { text } = await page(false)
    for (const form of [
      'stock.find(query: string, limit: int): array',
      'stock.order(ordered: struct): struct',
      'greet(name, greeting?)',
      'inform({ title, tags? })',
    ])
      assert.ok(text.includes(`<pre class="text">${form}</pre>`), form)
    assert.match(text, /<code>limit<\/code><\/td><td>maximum number of articles</)
    assert.doesNotMatch(text, /@param/)
  })

  it('links to documents', async () => {
    assert.match((await page(false)).text, /<a href="http:\/\/localhost\/stock\/openapi\.json">/)
  })

  for (const [title, debug, host] of [
    ['in production', false, 'localhost'],
    ['on a host that is not trusted', true, 'rebinding.example'],
  ] as const) {
    it(`has examples and no scripts ${title}`, async () => {
      const { text, policy } = await page(debug, host)
      assert.match(text, /Example: plain JSON/)
      assert.doesNotMatch(text, /<script|<form|Try it/)
      assert.doesNotMatch(policy, /script-src|connect-src/)
    })
  }

  it('sends calls by a script with a nonce in debug mode', async () => {
    const { text, policy } = await page(true)
    const nonce = /<script nonce="([0-9a-f]{32})">/.exec(text)?.[1]
    assert.ok(policy.endsWith(`; script-src 'nonce-${nonce}'; connect-src 'self'`), policy)
    assert.match(policy, /^default-src 'none'; /)
    assert.match(text, /Try it: plain JSON/)
  })

  it('has examples that the service accepts', async () => {
    const app = stockApp({ debug: true })
    const { text } = await page(true)
    const forms = [
      ...text.matchAll(/data-path="(.*?)" data-type="(.*?)">[\s\S]*?<textarea.*>\n([\s\S]*?)<\/textarea>/g),
    ]
    assert.equal(forms.length, 11 * 3 + 3)
    for (const [, path, type = '', escaped = ''] of forms) {
      const body = escaped
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
      const request = new Request(`http://localhost/stock${path}`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
      })
      const answer = await (await app.fetch(request)).text()
      assert.doesNotMatch(answer, /-32602|-32600|-32700|"errors"/, `${path} ${body}\n${answer}`)
    }
  })
})
