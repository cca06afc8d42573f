import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Mapper } from 'propylon/routing'

describe('expressions and long paths', () => {
  const cases: [title: string, template: string, path: string, matches: boolean][] = [
    ['an expression with one repetition has no limit of its own', '/{x:[a-z]+}', `/${'a'.repeat(16_000)}`, true],
    ['several repetitions match up to 2,048 characters', '/{x:.+-.+!}', `/${'-'.repeat(2047)}!`, true],
    ['also in a segment of several values', '/{a:[^/]+}-{b:[^/]+}!', `/${'-'.repeat(2047)}!`, true],
    ['which match nothing longer', '/{a:[^/]+}-{b:[^/]+}!', `/${'-'.repeat(2048)}!`, false],
    ['several repetitions match nothing longer', '/{x:.+-.+!}', `/${'-'.repeat(2048)}!`, false],
    ['values in one segment', '/{a}-{b}x', `/${'a-'.repeat(5000)}y`, false],
    ['many values in one segment', '/{a}-{b}-{c}-{d}-{e}-{f}x', `/${'a-'.repeat(5000)}`, false],
    ['more values in one segment', '/{a}.{b}.{c}.{d}.{e}.{f}.{g}.{h}x', `/${'a.'.repeat(5000)}`, false],
    ['many values, matching', '/{a}-{b}-{c}-{d}.html', `/${'-'.repeat(8000)}.html`, true],
  ]
  for (const [title, template, path, matches] of cases) {
    test(title, () => assert.equal(new Mapper().connect(template).match(path) !== null, matches))
  }
})

describe('values without requirements end at the first text that can follow', () => {
  const cases: [template: string, path: string, values: Record<string, string> | null][] = [
    ['/{a}-{b}x', '/q-w-ex', { a: 'q', b: 'w-e' }],
    ['/{a}-{b}-{c}x', `/${'a-'.repeat(500)}x`, { a: 'a', b: 'a', c: 'a-'.repeat(498) }],
    ['/{a}.{b}-{c}', '/1.2.3-4', { a: '1', b: '2.3', c: '4' }],
    ['/{a}-{b}', '/--b', { a: '-', b: 'b' }],
    ['/{a}--{b}--{c}', '/a---b--c', { a: 'a', b: '-b', c: 'c' }],
    ['/{a}{b}', '/xyz', { a: 'x', b: 'yz' }],
    ['/{a}-{b}-{id:\\d+}', '/a-b-c-5', { a: 'a', b: 'b-c', id: '5' }],
    ['/{a}-{b}', '/-b', null],
  ]
  for (const [template, path, values] of cases) {
    test(`${template} on ${path.slice(0, 24)}`, () => {
      const match = new Mapper().connect(template).match(path)
      assert.deepEqual(match && { ...match }, values)
    })
  }
})

describe('a redirect whose destination does not accept the values', () => {
  const rows: [path: string, destination: string, requested: string][] = [
    ['/go/{to:.*}', '/{to}', '/go/..'],
    ['/go/{to}', '/{to}', '/go/%2e%2e'],
    ['/old/{id}', '/new/{id:\\d+}', '/old/x'],
  ]
  for (const [path, destination, requested] of rows) {
    test(`${path} to ${destination} matches nothing for ${requested}`, () => {
      assert.equal(new Mapper().redirect(path, destination).resolve('GET', requested).kind, 'none')
    })
  }
})
