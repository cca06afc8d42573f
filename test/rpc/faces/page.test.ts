/** The page of a service for people. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stockApp } from './stock.ts'

async function page(debug: boolean) {
  const response = await stockApp({ debug }).fetch(new Request('http://localhost/stock'))
  return { text: await response.text(), policy: response.headers.get('Content-Security-Policy') ?? '' }
}

describe('the page of a service', () => {
  it('has the title of the service', async () => {
    const { text } = await page(false)
    assert.match(text, /<title>Stock of the shop<\/title>/)
    assert.match(text, /<h1>Stock of the shop<\/h1>/)
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

  it('has no scripts and no forms, in debug mode neither', async () => {
    for (const debug of [false, true]) {
      const { text, policy } = await page(debug)
      assert.doesNotMatch(text, /<script|<form/)
      assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
      assert.doesNotMatch(policy, /script-src|connect-src/)
    }
  })
})
