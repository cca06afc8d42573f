import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Mapper, RouteDefinitionError } from 'propylon/routing'
import { countSteps } from './counting-matcher.ts'

function isRefused(path: string): boolean {
  try {
    new Mapper({ rememberSites: false }).connect(path)
    return false
  } catch (error) {
    if (error instanceof RouteDefinitionError && error.code === 'E_ROUTE_REQUIREMENT') return true
    throw error
  }
}

describe('refuses an expression that can take more than quadratic time', () => {
  const refused: Record<string, string[]> = {
    'a repetition within a repetition': [
      '(a+)+',
      '(?:a*)*b',
      '(?:a+)+',
      '((a?)+)+',
      '(?:(?:ab?)+c?)+',
      '(?:\\w+\\s?)*',
    ],
    'alternatives that share a text': ['(?:a|a)*', '(?:a|aa)+b', '(?:a|ab|b)*', '(?:x|[a-z])+'],
    'counted repetitions': ['(?:\\w{1,3}_?){20}', '(?:aa?){30}b', '(?:a|aa){30}b', '(.*a){20}', '(?:\\w{1,20}){1,20}'],
    'counted repetitions of what can be empty': ['(?:a?){30}b', '(a|b|c?){30}x', '(?:a?){50}a{50}'],
    'many optional parts': [`${'a?'.repeat(32)}b`, '(a|a)'.repeat(16)],
    'three repetitions of the same characters': [
      '\\d+\\d+\\d+x',
      '.*.*.*=',
      '.+-.+-.+-x',
      '.+-.+-.{3,9}',
      'a*(?:a*b?a*)c',
    ],
    'look-around': ['(?=a)(a+)+', '(?=(?:a+)+b)c', '(?!(?:a|a)*b)c', '(?:(?=a+b)a+)+c', '(?<=a+)b'],
    'back references': ['(a+)\\1+b', '(?<x>a+)\\k<x>+b'],
    'characters beyond ASCII': [
      '(?:é|é)*',
      '(?:[а-м]|[а-я])*',
      '(?:\\s|[^\\0-\\x7f])*',
      '(?:\\p{L}|ж)*',
      '(?:\\p{L}|\\p{Script=Georgian})*',
      '(?:\\u0436|[\\u0430-\\u044f])+',
    ],
    'the flag v': ['(?:[\\w--\\d]+)+'],
  }
  for (const [title, expressions] of Object.entries(refused)) {
    for (const expression of expressions) {
      test(`${title}: ${expression.slice(0, 40)}`, () => assert.ok(isRefused(`/{x:${expression}}`)))
    }
  }

  const paths = [
    '/{a:[a-]+}-{b:[a-]+}-{c:[a-]+}-{d:[a-]+}x',
    '/{a:.*}/x/{b:.*}/y/{c:.*}/z',
    '/x{v:(a+)+}y',
    '/p/{v:(?:a?){30}b}/z',
    '/{x}{controller:\\d+}{y}',
  ]
  for (const path of paths) test(`of several values: ${path}`, () => assert.ok(isRefused(path)))

  test('and names the part to rewrite', () => {
    assert.throws(() => new Mapper().connect('/{x:[a-z]+-(?:\\d+)+}'), {
      code: 'E_ROUTE_REQUIREMENT',
      parameter: 'x',
      pattern: '[a-z]+-(?:\\d+)+',
      message: /see \(\?:\\d\+\)\+\.\n {2}fix: Rewrite \(\?:\\d\+\)\+ /,
    })
  })
})

describe('accepts expressions whose work is bounded', () => {
  const accepted = [
    '[a-z0-9]+(?:-[a-z0-9]+)*',
    '(?:[\\w-]+\\.)+[a-z]{2,}',
    '(?!new$)[a-z]+(?:-[a-z]+)*',
    '(?=.*\\d)(?=.*[a-z]).+',
    '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    '.+/.+',
    '.*?[^/]',
    '[\\w-]+-[\\w-]+-\\d+',
    '(?:name|number)(?:,(?:name|number))*',
    '(?:[^/]+/)*[^/]+',
    '(?:%[0-9a-f]{2}|[\\w.])+',
    '\\p{L}[\\p{L}\\p{N} _-]*',
    '[äöü]+[éè]*',
    '(a|b)\\1',
  ]
  for (const expression of accepted) {
    test(expression, () => assert.equal(isRefused(`/{x:${expression}}`), false))
  }

  const paths = [
    '/{a}-{b}-{c}-{d}-{id:\\d+}',
    '/{a}--{b}--{c}--{d}',
    '/{a} {b} {c} {d}',
    '/{repo:.*?}/compare/{kind:(?:tag|rev)}@{name:.*?}...{other:(?:tag|rev)}@{last:.*?}',
    '/{repo:.*?[^/]}/files/{commit}/{path:.*}',
  ]
  for (const path of paths) test(path, () => assert.equal(isRefused(path), false))
})

describe('the work of an accepted expression is at most quadratic', () => {
  const LENGTH = 40
  /** Room for the ways to match that do not depend on the length of the text. */
  const MAX_STEPS = 64 * LENGTH ** 2

  const letter = fc.constantFrom('a', 'b', '[ab]', '.', '-', '[^-]', 'ab')
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{4,}', '{2,9}')
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(letter, quantifier).map(([atom, times]) => (atom === 'ab' && times ? `(?:ab)${times}` : atom + times)),
      fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => one + other),
      fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `(?:${one}|${other})`),
      fc.tuple(tie('expression'), quantifier).map(([one, times]) => `(?:${one})${times}`),
      tie('expression').map((one) => `(?=${one})`),
      tie('expression').map((one) => `(?!${one})`),
    ),
  }))
  const text = fc
    .tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '!', '-', 'a!'),
    )
    .map(([pump, end]) => pump.repeat(LENGTH).slice(0, LENGTH) + end)

  test('for random expressions and texts, and the matcher that counts agrees with RegExp', () => {
    let accepted = 0
    fc.assert(
      fc.property(expression, text, (source, path) => {
        if (isRefused(`/{x:${source}}`)) return
        accepted++
        const { matches } = countSteps(source, path, MAX_STEPS)
        assert.equal(matches, new RegExp(`^(?:${source})$`, 's').test(path))
      }),
      { numRuns: 2000 },
    )
    assert.ok(accepted > 500, `${accepted} expressions were accepted`)
  })

  test('where the matcher that counts sees the work of refused ones', () => {
    for (const source of ['(?:a+)+', '(?:a|aa)+b', '(?:a?){30}b', 'a*a*a*a*x']) {
      assert.throws(() => countSteps(source, `${'a'.repeat(LENGTH)}!`, MAX_STEPS), RangeError, source)
    }
  })
})

describe('long paths', () => {
  const cases: [title: string, template: string, path: string, matches: boolean][] = [
    ['linear expressions have no limit of their own', '/{x:[a-z]+}', `/${'a'.repeat(16_000)}`, true],
    ['quadratic ones are tried up to 2,048 characters', '/{x:.+-.+!}', `/${'-'.repeat(2047)}!`, true],
    ['also in a segment of several values', '/{a:[^/]+}-{b:[^/]+}!', `/${'-'.repeat(2047)}!`, true],
    ['that matches nothing longer either', '/{a:[^/]+}-{b:[^/]+}!', `/${'-'.repeat(2048)}!`, false],
    ['and match nothing longer', '/{x:.+-.+!}', `/${'-'.repeat(2048)}!`, false],
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
