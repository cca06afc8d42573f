import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Response } from 'propylon'
import type { CacheDirectives } from 'propylon/http'

describe('Response.cacheControl', () => {
  const rows: [CacheDirectives | string, string][] = [
    [{ public: true, maxAge: 60 }, 'public, max-age=60'],
    [{ noStore: true, private: false }, 'no-store'],
    [{ maxAge: 0, mustRevalidate: true, sMaxage: 5 }, 'max-age=0, must-revalidate, s-maxage=5'],
    [{ staleWhileRevalidate: 30, immutable: true }, 'stale-while-revalidate=30, immutable'],
    [{}, ''],
    ['no-cache', 'no-cache'],
  ]
  for (const [given, text] of rows) {
    it(`formats ${JSON.stringify(given)} as ${JSON.stringify(text)}`, () => {
      const response = new Response()
      response.cacheControl = given
      assert.equal(response.headers.get('cache-control'), text)
    })
  }

  for (const maxAge of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${maxAge} seconds`, () => {
      assert.throws(() => {
        new Response().cacheControl = { maxAge }
      }, TypeError)
    })
  }
})
