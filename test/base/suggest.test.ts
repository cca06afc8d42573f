import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearest } from '../../src/base/suggest.ts'

const COMMANDS = ['create', 'controller', 'restcontroller', 'routes', 'serve', 'shell', 'xmlrpc']

describe('the nearest word', () => {
  const table: [typed: string, meant: string | undefined][] = [
    ['contoller', 'controller'],
    ['controler', 'controller'],
    ['craete', 'create'],
    ['sevre', 'serve'],
    ['route', 'routes'],
    ['rest', 'restcontroller'],
    ['SERVE', 'serve'],
    ['xml', 'xmlrpc'],
    ['frobnicate', undefined],
    ['', undefined],
    ['x'.repeat(1000), undefined],
  ]
  for (const [typed, meant] of table) {
    test(`to ${typed.slice(0, 20) || 'nothing'} is ${meant}`, () => assert.equal(nearest(typed, COMMANDS), meant))
  }
})

describe('the edit distance', () => {
  test('is nothing from a word to itself, and the same both ways', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        assert.equal(editDistance(a, a), 0)
        assert.equal(editDistance(a, b), editDistance(b, a))
      }),
    )
  })
  test('counts two letters that changed places as one edit', () => assert.equal(editDistance('ab', 'ba'), 1))
})
