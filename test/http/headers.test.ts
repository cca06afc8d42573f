import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { HeadersLike } from 'propylon'
import { HeaderList } from 'propylon/http'

describe('HeaderList', () => {
  const sources: [string, HeadersLike][] = [
    [
      'pairs',
      [
        ['A', '1'],
        ['B', '2'],
      ],
    ],
    ['a record', { A: '1', B: 2, C: undefined }],
    ['the platform Headers', new Headers({ a: '1', b: '2' })],
    ['another list', new HeaderList({ A: '1', B: '2' })],
  ]
  for (const [title, source] of sources) {
    it(`accepts ${title}`, () => {
      const headers = new HeaderList(source)
      assert.deepEqual([headers.get('a'), headers.get('b'), headers.size], ['1', '2', 2])
    })
  }

  it('repeats a field for a list in a record', () => {
    assert.deepEqual(new HeaderList({ Vary: ['A', 'B'] }).toPairs(), [
      ['Vary', 'A'],
      ['Vary', 'B'],
    ])
  })

  it('compares names case-insensitively and preserves their case', () => {
    const headers = new HeaderList([['x-Thing', '1']])
    assert.equal(headers.get('X-THING'), '1')
    assert.equal(headers.has('X-thing'), true)
    assert.deepEqual([...headers], [['x-Thing', '1']])
  })

  it('joins repeated fields except Set-Cookie', () => {
    const headers = new HeaderList([
      ['Vary', 'A'],
      ['vary', 'B'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ])
    assert.equal(headers.get('Vary'), 'A, B')
    assert.equal(headers.get('Set-Cookie'), 'a=1')
    assert.deepEqual(headers.getAll('set-cookie'), ['a=1', 'b=2'])
  })

  it('replaces all fields with a name at the position of the first', () => {
    const headers = new HeaderList([
      ['A', '1'],
      ['B', '2'],
      ['a', '3'],
    ])
    assert.deepEqual(headers.set('A', '4').toPairs(), [
      ['A', '4'],
      ['B', '2'],
    ])
  })

  it('sets a default only if the field is missing', () => {
    assert.deepEqual(new HeaderList({ A: '1' }).setDefault('a', '2').setDefault('B', '3').toPairs(), [
      ['A', '1'],
      ['B', '3'],
    ])
  })

  it('deletes all fields with a name and returns whether there were any', () => {
    const headers = new HeaderList([
      ['A', '1'],
      ['a', '2'],
    ])
    assert.deepEqual([headers.delete('a'), headers.delete('a'), headers.size], [true, false, 0])
  })

  const tokens: [string | undefined, string, string][] = [
    [undefined, 'Accept', 'Accept'],
    ['Cookie', 'Accept', 'Cookie, Accept'],
    ['Cookie, accept', 'Accept', 'Cookie, accept'],
    ['*', 'Accept', '*'],
    ['Cookie', '*', '*'],
  ]
  for (const [before, token, after] of tokens) {
    it(`adds the token ${token} to ${before ?? 'nothing'}`, () => {
      assert.equal(new HeaderList({ Vary: before }).addToken('Vary', token).get('vary'), after)
    })
  }

  it('adds a token to one field in place of several', () => {
    const headers = new HeaderList([
      ['Vary', 'Cookie'],
      ['Vary', 'Accept'],
    ]).addToken('Vary', 'accept')
    assert.deepEqual(headers.toPairs(), [['Vary', 'Cookie, Accept']])
  })

  it('returns pairs that are copies', () => {
    const headers = new HeaderList({ A: '1' })
    const pairs = headers.toPairs()
    pairs.push(['B', '2'])
    for (const pair of pairs) pair[1] = 'changed'
    assert.deepEqual(headers.toPairs(), [['A', '1']])
  })

  const injections: [string, string][] = [
    ['A', 'x\r\nSet-Cookie: a=1'],
    ['A', 'x\ny'],
    ['A', 'x\0'],
    ['A', '\u{1f600}'],
    ['A\r\nB', 'x'],
    ['A:', 'x'],
    ['', 'x'],
    ['A B', 'x'],
  ]
  for (const [name, value] of injections) {
    it(`refuses ${JSON.stringify([name, value])} in every method`, () => {
      assert.throws(() => new HeaderList([[name, value]]), TypeError)
      assert.throws(() => new HeaderList({ [name]: value }), TypeError)
      assert.throws(() => new HeaderList().set(name, value), TypeError)
      assert.throws(() => new HeaderList().append(name, value), TypeError)
      assert.throws(() => new HeaderList().setDefault(name, value), TypeError)
      assert.throws(() => new HeaderList().addToken(name, value), TypeError)
    })
  }

  it('equals a list of pairs after any sequence of operations', () => {
    const name = fc.constantFrom('A', 'a', 'B', 'b', 'C')
    const value = fc.constantFrom('1', '2', '3')
    const step = fc.tuple(fc.constantFrom('set' as const, 'append' as const, 'delete' as const), name, value)
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const headers = new HeaderList()
        let model: [string, string][] = []
        for (const [action, field, text] of steps) {
          const key = field.toLowerCase()
          const same = ([other]: [string, string]) => other.toLowerCase() === key
          if (action === 'delete') {
            headers.delete(field)
            model = model.filter((pair) => !same(pair))
          } else if (action === 'append' || !model.some(same)) {
            headers[action](field, text)
            model.push([field, text])
          } else {
            headers.set(field, text)
            const at = model.findIndex(same)
            model = model.filter((pair, index) => index === at || !same(pair))
            model[at] = [field, text]
          }
        }
        assert.deepEqual(headers.toPairs(), model)
      }),
    )
  })
})
