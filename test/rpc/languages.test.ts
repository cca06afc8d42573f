/** Messages of services in the language of the caller. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'

class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json']

  greet(name: string) {
    return this.t('hello', { name })
  }
}

const map = new Mapper()
map.rpc('stock', '/stock')
const client = new TestApp(
  new FrameworkApp({
    map,
    controllers: { stock: StockController },
    messages: { en: { hello: 'Hello, {name}!' }, de: { hello: 'Hallo, {name}!' } },
    languages: ['en', 'de'],
  }),
)

const CALL = `<?xml version="1.0"?><methodCall><methodName>greet</methodName><params><param><value><string>Ann</string></value></param></params></methodCall>`
const jsonCall = (id: number) => ({ jsonrpc: '2.0', method: 'greet', params: ['Ann'], id })

describe('a service with messages', () => {
  for (const [accepted, language, text] of [
    ['de-AT', 'de', 'Hallo, Ann!'],
    ['fr', 'en', 'Hello, Ann!'],
  ] as const) {
    const options = { headers: { 'accept-language': accepted } }

    it(`answers in the language of the caller for ${accepted}`, async () => {
      const calls = [
        await client.postJson('/stock', jsonCall(1), options),
        await client.postJson('/stock/greet', { name: 'Ann' }, options),
        await client.post('/stock', CALL, { headers: { ...options.headers, 'content-type': 'text/xml' } }),
        await client.postJson('/stock', [jsonCall(1), jsonCall(2)], options),
      ]
      for (const call of calls) {
        assert.equal(call.status, 200)
        assert.match(call.text, new RegExp(text))
        assert.equal(call.headers.get('content-language'), language)
        assert.match(call.headers.get('vary') ?? '', /Accept-Language/)
      }
    })
  }
})
