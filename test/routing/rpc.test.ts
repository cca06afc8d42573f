/** `map.rpc()`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Mapper } from 'propylon/routing'

describe('rpc()', () => {
  const map = new Mapper()
    .rpc('stock', '/stock')
    .rpc('shop', '/v1/shop/', { controller: 'api/shop' })
    .submapper({ pathPrefix: '/{lang}', namePrefix: 'local_' }, (local) => local.rpc('words', '/words'))

  const matches: readonly [path: string, match: object | null][] = [
    ['/stock', { controller: 'stock', action: 'index' }],
    ['/stock/stock.find', { controller: 'stock', action: 'stock.find' }],
    ['/stock/wiki_getPage', { controller: 'stock', action: 'wiki_getPage' }],
    ['/stock/openapi.json', { controller: 'stock', action: 'openapi.json' }],
    ['/stock/mcp', { controller: 'stock', action: 'mcp' }],
    ['/stock/a%2Fb', { controller: 'stock', action: 'a/b' }],
    ['/stock/a/b', null],
    ['/de/words', { controller: 'words', action: 'index', lang: 'de' }],
    ['/de/words/find', { controller: 'words', action: 'find', lang: 'de' }],
  ]
  for (const [path, match] of matches) {
    it(`matches ${path}`, () => {
      const matched = map.match(path)
      assert.deepEqual(matched === null ? null : { ...matched }, match)
    })
  }

  it('accepts all methods, so that the controller answers them', () => {
    for (const method of ['GET', 'POST', 'DELETE']) assert.equal(map.resolve(method, '/stock').kind, 'match')
  })

  it('takes the options of connect()', () => {
    assert.equal(map.match('/v1/shop/x')?.controller, 'api/shop')
    const domains = new Mapper({ subDomains: true }).rpc('shop', '/shop', {
      conditions: { subDomain: ['api'] },
    })
    assert.equal(domains.match('/shop', { host: 'www.example.com' }), null)
    assert.equal(domains.match('/shop/find', { host: 'api.example.com' })?.action, 'find')
  })

  it('has names for generation, which the compiler checks', () => {
    assert.equal(map.url('stock'), '/stock')
    assert.equal(map.url('local_words', { lang: 'de' }), '/de/words')
    assert.equal(map.url({ controller: 'stock', action: 'stock.find' }), '/stock/stock.find')
    // @ts-expect-error: there is no such name
    assert.throws(() => map.url('stok'))
    // @ts-expect-error: the parameter is missing
    assert.throws(() => map.url('local_words'))
  })

  it('has the place of its call as the place of both routes', () => {
    const places = new Mapper().rpc('a', '/a').routes.map(({ definedAt }) => definedAt)
    assert.equal(places.length, 2)
    assert.match(places[0] ?? '', /rpc\.test\.ts/)
    assert.equal(places[0], places[1])
  })
})
