import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptedCodings, isCompressible } from '../../src/http/compression.ts'

describe('acceptedCodings', () => {
  const rows: [header: string | undefined, codings: string[]][] = [
    [undefined, []],
    ['', []],
    ['gzip, deflate, br, zstd', ['br', 'zstd', 'gzip']],
    ['gzip, br;q=0.5', ['gzip', 'br']],
    ['*', ['br', 'zstd', 'gzip']],
    ['*;q=0', []],
    ['gzip;q=0.5, identity;q=0.8, br', ['br']],
    ['gzip;q=0.5, identity;q=0.5', ['gzip']],
    ['gzip;q=2', []],
  ]
  for (const [header, codings] of rows) {
    it(`returns [${codings}] for ${header ?? 'no header'}`, () => assert.deepEqual(acceptedCodings(header), codings))
  }
})

describe('isCompressible', () => {
  const compressible = [
    'text/html; charset=utf-8',
    'TEXT/CSS',
    'application/json',
    'image/svg+xml',
    'application/problem+json',
  ]
  const others = [
    'image/png',
    'text/event-stream',
    'application/zip',
    'video/mp4',
    'application/octet-stream',
    'font/woff2',
    '',
  ]
  for (const type of compressible) it(`returns true for ${type}`, () => assert.ok(isCompressible(type)))
  for (const type of others) it(`returns false for ${type || 'an empty type'}`, () => assert.ok(!isCompressible(type)))
})
