import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  entityTagOf,
  evaluatePreconditions,
  isStrongMatch,
  isWeakMatch,
  type PreconditionResult,
  type Preconditions,
  parseEntityTags,
  toEntityTag,
  type Validators,
} from 'propylon/http'

describe('toEntityTag', () => {
  const rows: [string, string][] = [
    ['v1', '"v1"'],
    ['"v1"', '"v1"'],
    ['W/"v1"', 'W/"v1"'],
    ['', '""'],
  ]
  for (const [name, tag] of rows) {
    it(`returns ${tag} for ${JSON.stringify(name)}`, () => {
      assert.equal(toEntityTag(name), tag)
    })
  }

  for (const name of ['a b', 'a"b', 'a\r\nb', '\u{1f600}', 'W/"', '\0']) {
    it(`refuses ${JSON.stringify(name)}`, () => {
      assert.throws(() => toEntityTag(name), TypeError)
    })
  }
})

describe('entityTagOf', () => {
  it('returns equal tags for equal content, as text and as bytes', () => {
    assert.equal(entityTagOf('hé'), entityTagOf(new TextEncoder().encode('hé')))
    assert.notEqual(entityTagOf('a'), entityTagOf('b'))
  })

  it('returns a valid tag, weak if requested', () => {
    assert.match(entityTagOf('x'), /^"[0-9a-f]{32}"$/)
    assert.equal(entityTagOf('x', true), `W/${entityTagOf('x')}`)
  })
})

describe('parseEntityTags', () => {
  const rows: [string, ReturnType<typeof parseEntityTags>][] = [
    ['*', '*'],
    [' * ', '*'],
    ['"a", W/"b"', ['"a"', 'W/"b"']],
    ['"a,b"', ['"a,b"']],
    ['"*"', ['"*"']],
    ['a', []],
    ['', []],
    ['"a', []],
    ['a, "b"', ['"b"']],
  ]
  for (const [header, tags] of rows) {
    it(`parses ${JSON.stringify(header)}`, () => {
      assert.deepEqual(parseEntityTags(header), tags)
    })
  }

  it('parses any list of tags', () => {
    const tag = fc.stringMatching(/^[!#-~]*$/).map((text) => toEntityTag(text))
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
        assert.deepEqual(parseEntityTags(tags.join(', ')), tags)
      }),
    )
  })
})

describe('comparison of entity tags (RFC 9110 §8.8.3.2)', () => {
  const rows: [string, string, boolean, boolean][] = [
    ['W/"1"', 'W/"1"', false, true],
    ['W/"1"', 'W/"2"', false, false],
    ['W/"1"', '"1"', false, true],
    ['"1"', '"1"', true, true],
  ]
  for (const [one, other, strong, weak] of rows) {
    it(`compares ${one} and ${other}`, () => {
      assert.deepEqual([isStrongMatch(one, other), isWeakMatch(one, other)], [strong, weak])
    })
  }
})

describe('evaluatePreconditions', () => {
  const early = 'Sun, 06 Nov 1994 08:49:36 GMT'
  const same = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const late = 'Sun, 06 Nov 1994 08:49:38 GMT'
  const current: Validators = { etag: '"v1"', lastModified: new Date('1994-11-06T08:49:37.900Z') }
  const weak: Validators = { etag: 'W/"v1"' }
  const missing: Validators = { exists: false }

  type Row = [
    title: string,
    headers: Omit<Preconditions, 'method'>,
    Validators,
    PreconditionResult,
    onPut?: PreconditionResult,
  ]
  const rows: Row[] = [
    ['no condition', {}, current, 'proceed'],
    ['If-Match with the tag', { ifMatch: '"v0", "v1"' }, current, 'proceed'],
    ['If-Match with another tag', { ifMatch: '"v2"' }, current, 'failed'],
    ['If-Match with a weak tag', { ifMatch: 'W/"v1"' }, weak, 'failed'],
    ['If-Match *', { ifMatch: '*' }, current, 'proceed'],
    ['If-Match * without a resource', { ifMatch: '*' }, missing, 'failed'],
    ['If-Match that is malformed', { ifMatch: 'v1' }, current, 'failed'],
    ['If-Unmodified-Since the change', { ifUnmodifiedSince: same }, current, 'proceed'],
    ['If-Unmodified-Since before the change', { ifUnmodifiedSince: early }, current, 'failed'],
    ['If-Unmodified-Since that is malformed', { ifUnmodifiedSince: 'yesterday' }, current, 'proceed'],
    ['If-Unmodified-Since without a Last-Modified', { ifUnmodifiedSince: early }, weak, 'proceed'],
    ['If-Match over If-Unmodified-Since', { ifMatch: '"v1"', ifUnmodifiedSince: early }, current, 'proceed'],
    ['If-None-Match with the tag', { ifNoneMatch: '"v1"' }, current, 'not-modified', 'failed'],
    ['If-None-Match with the weak tag', { ifNoneMatch: '"v1"' }, weak, 'not-modified', 'failed'],
    ['If-None-Match with another tag', { ifNoneMatch: '"v2"' }, current, 'proceed'],
    ['If-None-Match *', { ifNoneMatch: '*' }, current, 'not-modified', 'failed'],
    ['If-None-Match * without a resource', { ifNoneMatch: '*' }, missing, 'proceed'],
    ['If-Modified-Since the change', { ifModifiedSince: same }, current, 'not-modified', 'proceed'],
    ['If-Modified-Since after the change', { ifModifiedSince: late }, current, 'not-modified', 'proceed'],
    ['If-Modified-Since before the change', { ifModifiedSince: early }, current, 'proceed'],
    ['If-Modified-Since that is malformed', { ifModifiedSince: '1994' }, current, 'proceed'],
    ['If-Modified-Since without a Last-Modified', { ifModifiedSince: late }, weak, 'proceed'],
    ['If-None-Match over If-Modified-Since', { ifNoneMatch: '"v2"', ifModifiedSince: same }, current, 'proceed'],
    ['If-Match before If-None-Match', { ifMatch: '"v2"', ifNoneMatch: '"v1"' }, current, 'failed'],
  ]
  for (const [title, headers, validators, onGet, onPut = onGet] of rows) {
    it(`${title}: ${onGet} on GET and HEAD, ${onPut} on PUT`, () => {
      assert.equal(evaluatePreconditions({ method: 'GET', ...headers }, validators), onGet)
      assert.equal(evaluatePreconditions({ method: 'HEAD', ...headers }, validators), onGet)
      assert.equal(evaluatePreconditions({ method: 'PUT', ...headers }, validators), onPut)
    })
  }
})
