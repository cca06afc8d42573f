import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseMediaType } from 'propylon/http'

describe('parseMediaType', () => {
  const rows: [string, string, Record<string, string>][] = [
    ['text/html', 'text/html', {}],
    ['Text/HTML; Charset=UTF-8', 'text/html', { charset: 'UTF-8' }],
    ['text/plain;charset="utf-8"', 'text/plain', { charset: 'utf-8' }],
    ['multipart/form-data; boundary="a; b=c"', 'multipart/form-data', { boundary: 'a; b=c' }],
    ['a/b; x=1; x=2', 'a/b', { x: '1' }],
    ['a/b;;; x = 1 ;', 'a/b', { x: '1' }],
    ['a/b; flag; x=1', 'a/b', { x: '1' }],
    ['a/b; b@d=1; x=2', 'a/b', { x: '2' }],
    ['a/b; x="never closed', 'a/b', { x: 'never closed' }],
    ['application/vnd.api+json', 'application/vnd.api+json', {}],
  ]
  for (const [text, essence, parameters] of rows) {
    it(`parses ${text}`, () => {
      const type = parseMediaType(text)
      assert.equal(type?.essence, essence)
      assert.deepEqual({ ...type?.parameters }, parameters)
    })
  }

  for (const text of ['', 'text', 'text/', '/html', 'text/html/x', 'te xt/html', '; charset=utf-8']) {
    it(`returns undefined for ${JSON.stringify(text)}`, () => {
      assert.equal(parseMediaType(text), undefined)
    })
  }
})

describe('the parameters of a media type', () => {
  const parametersOf = (text: string) => parseMediaType(`a/b;${text}`)?.parameters ?? assert.fail(text)

  it('contain backslashes that escape nothing', () => {
    const { name } = parametersOf(String.raw`name="C:\dir\a \"b\".txt"`)
    assert.equal(name, String.raw`C:\dir\a "b".txt`)
  })

  it('may have the names of inherited properties', () => {
    assert.deepEqual(Object.entries(parametersOf('__proto__=1; constructor=2')), [
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })

  it('are found after many semicolons', () => {
    assert.equal(parametersOf(`${'; '.repeat(10_000)}a=1`).a, '1')
  })

  it('are parsed from any text without throwing', () => {
    const text = fc.string({ unit: fc.constantFrom(';', '=', '"', '\\', ' ', 'a', ',') })
    fc.assert(fc.property(text, (value) => typeof parametersOf(value) === 'object'))
  })
})
