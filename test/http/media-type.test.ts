import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseMediaType, parseParameters } from '../../src/http/media-type.ts'

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
    it(`reads ${text}`, () => {
      const type = parseMediaType(text)
      assert.equal(type?.essence, essence)
      assert.deepEqual({ ...type?.parameters }, parameters)
    })
  }

  for (const text of ['', 'text', 'text/', '/html', 'text/html/x', 'te xt/html', '; charset=utf-8']) {
    it(`takes ${JSON.stringify(text)} for no media type`, () => {
      assert.equal(parseMediaType(text), undefined)
    })
  }
})

describe('parseParameters', () => {
  it('keeps a backslash that escapes nothing', () => {
    const { filename } = parseParameters(String.raw`; filename="C:\dir\a \"b\".txt"`, 0)
    assert.equal(filename, String.raw`C:\dir\a "b".txt`)
  })

  it('takes names of the prototype for names like any other', () => {
    const parameters = parseParameters('; __proto__=1; constructor=2', 0)
    assert.deepEqual(Object.entries(parameters), [
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })

  it('finds what stands behind many semicolons', () => {
    assert.equal(parseParameters(`${'; '.repeat(10_000)}a=1`, 0).a, '1')
  })

  it('comes to an end and never throws, whatever the text', () => {
    const text = fc.string({ unit: fc.constantFrom(';', '=', '"', '\\', ' ', 'a', ',') })
    fc.assert(fc.property(text, (value) => typeof parseParameters(value, 0) === 'object'))
  })
})
