import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Mapper } from '../../src/routing/index.ts'

/**
 * Patterns and paths for which a backtracking search would go on for minutes or for ever. That these tests come to an end
 * at all is what they test.
 */
const hostile: [pattern: string, path: string][] = [
  ['/{a}-{b}x', `/${'a-'.repeat(5000)}y`],
  ['/{a}-{b}-{c}-{d}-{e}-{f}x', `/${'a-'.repeat(5000)}`],
  ['/{a}.{b}.{c}.{d}.{e}.{f}.{g}.{h}x', `/${'a.'.repeat(5000)}`],
  ['/{a:[a-]+}-{b:[a-]+}-{c:[a-]+}-{d:[a-]+}x', `/${'a-'.repeat(2000)}`],
  ['/p/{v:(?:a?){30}b}/z', `/p/${'a'.repeat(12)}!/z`],
  [`/p/{v:${'a?'.repeat(32)}b}`, `/p/${'a'.repeat(12)}`],
  ['/p/{v:(a|b|c?){30}x}', `/p/${'a'.repeat(12)}`],
  ['/{v:(?:\\w{1,3}_?){20}}', `/${'a'.repeat(80)}!`],
  ['/{v:(?:aa?){30}b}', `/${'a'.repeat(60)}`],
  ['/{v:(?:a|aa){30}b}', `/${'a'.repeat(60)}`],
  ['/{v:(?:a?){50}a{50}}', `/${'a'.repeat(256)}`],
  ['/{v:(.*a){20}}', `/${'a'.repeat(200)}b`],
  ['/{v:(a+)+}', `/${'a'.repeat(2000)}b`],
  ['/{v:(?=a)(a+)+}', `/${'a'.repeat(200)}b`],
  ['/{v:(?=a)(?:a?){30}b}', `/${'a'.repeat(10)}`],
  ['/{v:(a+)\\1+b}', `/${'a'.repeat(2000)}`],
  ['/{v:\\d+\\d+\\d+\\d+x}', `/${'1'.repeat(3000)}`],
  ['/{v:(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)x}', `/${'a'.repeat(8)}`],
  ['/x{v:(a+)+}y', `/x${'a'.repeat(2000)}z`],
  ['/x{v:(?:a?){30}b}y', `/x${'a'.repeat(30)}z`],
]

describe('a URL cannot make an expression backtrack for ever', () => {
  for (const [pattern, path] of hostile) {
    test(`${pattern} on ${path.slice(0, 24)}…`, () => {
      assert.equal(new Mapper().connect(pattern).match(path), null)
    })
  }
})

describe('what such expressions accept is still found', () => {
  const accepted: [pattern: string, path: string, values: Record<string, string>][] = [
    ['/{a}-{b}x', '/q-w-ex', { a: 'q', b: 'w-e' }],
    ['/{a}-{b}-{c}x', `/${'a-'.repeat(500)}x`, { a: 'a', b: 'a', c: 'a-'.repeat(498) }],
    ['/{a}.{b}-{c}', '/1.2.3-4', { a: '1', b: '2.3', c: '4' }],
    ['/{v:(?:a?){30}b}', '/aaab', { v: 'aaab' }],
    ['/{v:(?:\\w{1,3}_?){20}}', `/${'ab_'.repeat(20)}`, { v: 'ab_'.repeat(20) }],
    [
      '/{v:[a-z]+(?:-[a-z]+)*}',
      `/${'some-long-slug-'.repeat(40)}x`,
      { v: `${'some-long-slug-'.repeat(40)}x` },
    ],
    ['/{v:(?!new$)[a-z]+(?:-[a-z]+)*}', `/${'slug-'.repeat(20)}x`, { v: `${'slug-'.repeat(20)}x` }],
    ['/{y:\\d{4}}-{m:\\d\\d}', '/2024-05', { y: '2024', m: '05' }],
    ['/{v:html|json|xml|atom|rss}', '/atom', { v: 'atom' }],
  ]
  for (const [pattern, path, values] of accepted) {
    test(`${pattern} on ${path.slice(0, 24)}`, () => {
      assert.deepEqual({ ...new Mapper().connect(pattern).match(path) }, values)
    })
  }
})

describe('a redirect whose destination cannot take the values', () => {
  const rows: [path: string, destination: string, asked: string][] = [
    ['/go/{to:.*}', '/{to}', '/go/..'],
    ['/go/{to}', '/{to}', '/go/%2e%2e'],
    ['/old/{id}', '/new/{id:\\d+}', '/old/x'],
  ]
  for (const [path, destination, asked] of rows) {
    test(`${path} to ${destination} leads nowhere for ${asked}`, () => {
      assert.equal(new Mapper().redirect(path, destination).resolve('GET', asked).kind, 'none')
    })
  }
})
