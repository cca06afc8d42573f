import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { isUserName, userForm, userUpdateForm } from '../../examples/users/model/user.ts'

const ANN = { name: 'ann', full_name: 'Ann Example', email: 'ann@example.org', password: 'correct horse' }

function problems(schema: typeof userForm | typeof userUpdateForm, values: unknown): Record<string, string> {
  const { issues = [] } = v.safeParse(schema, values)
  const found: Record<string, string> = {}
  for (const issue of issues) found[String(issue.path?.[0]?.key)] ??= issue.message
  return found
}

describe('the form of a user', () => {
  it('accepts a complete user', () => {
    assert.deepEqual(problems(userForm, ANN), {})
  })

  it('reports each missing field', () => {
    const message = 'must be given'
    assert.deepEqual(problems(userForm, {}), {
      name: message,
      full_name: message,
      email: message,
      password: message,
    })
  })

  const good: [field: keyof typeof ANN, value: string][] = [
    ['name', 'a'],
    ['name', '0'],
    ['name', 'New'],
    ['name', 'john.doe'],
    ['name', 'a.'],
    ['name', 'html'],
    ['name', 'a.JSON'],
    ['name', 'a.xml'],
    ['name', `a${'._-'.repeat(21)}`],
    ['full_name', 'x'],
    ['full_name', 'x'.repeat(200)],
    ['full_name', '𝄞'.repeat(200)],
    ['full_name', '<script>alert(1)</script>'],
    ['email', 'a@b'],
    ['email', "o'neil+tag@sub.example.co.uk"],
    ['password', '12345678'],
    ['password', '𝄞'.repeat(8)],
    ['password', 'x'.repeat(1024)],
    ['password', '  spaces  '],
  ]
  for (const [field, value] of good) {
    it(`accepts the ${field} ${JSON.stringify(value.slice(0, 30))} (${value.length})`, () => {
      assert.deepEqual(problems(userForm, { ...ANN, [field]: value }), {})
      assert.deepEqual(problems(userUpdateForm, { ...ANN, [field]: value }), {})
    })
  }

  const bad: [field: keyof typeof ANN, value: unknown][] = [
    ['name', ''],
    ['name', ' ann'],
    ['name', 'ann\n'],
    ['name', '.ann'],
    ['name', '-ann'],
    ['name', '_ann'],
    ['name', 'a/b'],
    ['name', 'a b'],
    ['name', 'a;edit'],
    ['name', 'änn'],
    ['name', 'a\0'],
    ['name', '\ud800'],
    ['name', 'new'],
    ['name', 'ann.html'],
    ['name', 'ann.json'],
    ['name', 'x'.repeat(65)],
    ['name', ['ann', 'bob']],
    ['full_name', ''],
    ['full_name', '   '],
    ['full_name', 'x'.repeat(201)],
    ['full_name', 'a\0b'],
    ['full_name', 'a\nb'],
    ['full_name', 'a\u2028b'],
    ['full_name', 'a\ud800b'],
    ['full_name', 'a\ufffdb'],
    ['full_name', { toString: 'x' }],
    ['email', ''],
    ['email', 'ann'],
    ['email', '@example.org'],
    ['email', 'ann@'],
    ['email', 'a@b@c'],
    ['email', 'a b@example.org'],
    ['email', '.ann@example.org'],
    ['email', 'a..b@example.org'],
    ['email', 'ann@example..org'],
    ['email', 'ann@-example.org'],
    ['email', 'ann@example.org\0'],
    ['email', 'a\nb@example.org'],
    ['email', `${'x'.repeat(250)}@example.org`],
    ['email', ['a@b', 'c@d']],
    ['password', '1234567'],
    ['password', '𝄞'.repeat(7)],
    ['password', 'x'.repeat(1025)],
    ['password', 'null\0byte'],
    ['password', 'half\ud800character'],
    ['password', ['correct horse', 'correct horse']],
    ['password', 12_345_678],
  ]
  for (const [field, value] of bad) {
    it(`refuses the ${field} ${JSON.stringify(value)?.slice(0, 40)}`, () => {
      assert.deepEqual(Object.keys(problems(userForm, { ...ANN, [field]: value })), [field])
      assert.deepEqual(Object.keys(problems(userUpdateForm, { ...ANN, [field]: value })), [field])
    })
  }

  it('trims the full name and the e-mail address', () => {
    const { full_name, email } = v.parse(userForm, { ...ANN, full_name: ' Ann ', email: ' ann@example.org ' })
    assert.deepEqual([full_name, email], ['Ann', 'ann@example.org'])
  })

  it('drops unknown fields', () => {
    assert.deepEqual(v.parse(userForm, { ...ANN, _method: 'PUT', admin: '1' }), ANN)
  })

  it('accepts an empty or missing password only in an update', () => {
    const { password: _, ...rest } = ANN
    for (const values of [rest, { ...rest, password: '' }]) {
      assert.deepEqual(problems(userUpdateForm, values), {})
      assert.deepEqual(Object.keys(problems(userForm, values)), ['password'])
    }
  })

  it('reports errors in ASCII and without the submitted values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const values = {
          name: `?${text}`,
          full_name: `\0${text}`,
          email: `@${text}`,
          password: `\0secret${text}`,
        }
        for (const message of Object.values(problems(userForm, values))) {
          assert.match(message, /^[ -~]+$/)
          assert.doesNotMatch(message, /secret/)
        }
      }),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        problems(userForm, value)
        problems(userUpdateForm, { name: value, full_name: value, email: value, password: value })
      }),
    )
  })
})

describe('a user’s name', () => {
  it('needs no percent-encoding in a path, and is not mistaken for a name with a format', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 70 }), (text) => {
        if (!isUserName(text)) return
        assert.equal(encodeURIComponent(text), text)
        assert.equal(new URL(`/users/${text}`, 'http://host').pathname, `/users/${text}`)
      }),
    )
  })
})
