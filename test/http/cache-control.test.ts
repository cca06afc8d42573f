import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CacheDirectives, formatCacheControl } from '../../src/http/cache-control.ts'

describe('formatCacheControl', () => {
  const rows: [CacheDirectives, string][] = [
    [{ public: true, maxAge: 60 }, 'public, max-age=60'],
    [{ noStore: true, private: false }, 'no-store'],
    [{ maxAge: 0, mustRevalidate: true, sMaxage: 5 }, 'max-age=0, must-revalidate, s-maxage=5'],
    [{ staleWhileRevalidate: 30, immutable: true }, 'stale-while-revalidate=30, immutable'],
    [{}, ''],
  ]
  for (const [directives, text] of rows) {
    it(`writes ${JSON.stringify(text)}`, () => {
      assert.equal(formatCacheControl(directives), text)
    })
  }

  for (const maxAge of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${maxAge} seconds`, () => {
      assert.throws(() => formatCacheControl({ maxAge }), TypeError)
    })
  }
})
