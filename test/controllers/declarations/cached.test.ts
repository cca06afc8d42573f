/** Actions whose declared responses `cached` stores. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { cached, decorate } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

/** Returns a client of a class whose cached action counts its runs. */
function counting(): TestApp {
  let runs = 0
  class CountsController extends WSGIController {
    static results = { index: v.object({ runs: v.number() }) }
    static pages = { index: 'counts' }

    index() {
      runs += 1
      return { runs, secret: 'hidden' }
    }

    static {
      decorate(this, { index: [cached({ expires: 60 })] })
    }
  }
  return new TestApp(
    new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'counts', action: 'index' }),
      controllers: { counts: CountsController },
      templates: { counts: '<p><%= it.runs %></p>' },
    }),
  )
}

describe('a cached action with a declared result', () => {
  const rows: [label: string, accept: string, text: string][] = [
    ['what its schema gives, without the members that it removes', 'application/json', '{"runs":1}'],
    ['its page', 'text/html', '<p>1</p>'],
  ]
  for (const [label, Accept, text] of rows) {
    it(`stores ${label}`, async () => {
      const client = counting()
      for (const _ of [1, 2]) assert.equal((await client.get('/', { headers: { Accept } })).text, text)
    })
  }

  it('stores the page and JSON apart', async () => {
    const client = counting()
    const get = async (Accept: string) => (await client.get('/', { headers: { Accept } })).text
    assert.equal(await get('text/html'), '<p>1</p>')
    assert.equal(await get('application/json'), '{"runs":2}')
    assert.equal(await get('text/html'), '<p>1</p>')
  })
})
