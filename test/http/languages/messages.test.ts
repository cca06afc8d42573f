import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { IntlMessageFormat } from 'intl-messageformat'
import { FrameworkApp, Mapper, type MessageFormatClass, type MessageValues } from 'propylon'

/** Returns a function that writes messages of one language, and what was logged. */
function translator(language: string, texts: Record<string, string>, messageFormat?: MessageFormatClass) {
  const logged: string[] = []
  const warn = (message: string) => logged.push(message)
  const app = new FrameworkApp({
    map: new Mapper(),
    controllers: {},
    messages: { [language]: texts },
    languages: [language],
    logger: { info() {}, warn, error: warn },
    ...(messageFormat !== undefined && { messageFormat }),
  })
  return { t: app.translator(language), logged }
}

const write = (language: string, text: string, values: MessageValues = {}) =>
  translator(language, { text }).t('text', values)

const ARABIC = '{n, plural, zero {لا كتب} one {كتاب واحد} two {كتابان} few {# كتب} many {# كتابا} other {# كتاب}}'
const RANK = '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}'
const DAY = new Date('2026-03-05T12:00:00Z')

describe('a message', () => {
  const rows: [language: string, text: string, values: MessageValues, written: string][] = [
    ['en', 'Hello, {name}!', { name: 'Ann' }, 'Hello, Ann!'],
    ['en', "It's a <b>bold</b> # text", {}, "It's a <b>bold</b> # text"],
    ['en', "A brace: '{'name'}', an apostrophe: ''", {}, "A brace: {name}, an apostrophe: '"],
    ['en', '{n}', { n: 1000 }, '1000'],
    ['en', '{n}', { n: 0 }, '0'],
    ['en', '{n}', { n: false }, 'false'],
    ['en', '{n, number}', { n: 1234.5 }, '1,234.5'],
    ['de', '{n, number}', { n: 1234.5 }, '1.234,5'],
    ['de', '{n, number, ::currency/EUR}', { n: 2 }, '2,00\u00a0€'],
    ['en', '{n, number}', { n: 9007199254740993n }, '9,007,199,254,740,993'],
    ['en', '{n, plural, =0 {none} one {# book} other {# books}}', { n: 0 }, 'none'],
    ['en', '{n, plural, =0 {none} one {# book} other {# books}}', { n: 1 }, '1 book'],
    ['en', '{n, plural, =0 {none} one {# book} other {# books}}', { n: 1000 }, '1,000 books'],
    ['pl', '{n, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}', { n: 3 }, '3 pliki'],
    ['pl', '{n, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}', { n: 12 }, '12 plików'],
    ['fr', '{n, plural, one {# livre} other {# livres}}', { n: 0 }, '0 livre'],
    ['ar-EG', ARABIC, { n: 0 }, 'لا كتب'],
    ['ar-EG', ARABIC, { n: 2 }, 'كتابان'],
    ['ar-EG', ARABIC, { n: 5 }, '٥ كتب'],
    ['ar-EG', ARABIC, { n: 11 }, '١١ كتابا'],
    ['ar-EG', ARABIC, { n: 100 }, '١٠٠ كتاب'],
    ['he', 'שלום {name}', { name: 'דנה' }, 'שלום דנה'],
    ['en', RANK, { n: 21 }, '21st'],
    ['en', RANK, { n: 12 }, '12th'],
    ['en', RANK, { n: 3 }, '3rd'],
    ['en', '{who, select, me {I} other {{who}}} read', { who: 'me' }, 'I read'],
    ['en', '{who, select, me {I} other {{who}}} read', { who: 'Ann' }, 'Ann read'],
    ['en', '{day, date, long}', { day: DAY }, 'March 5, 2026'],
    ['de', '{day, date, long}', { day: DAY }, '5. März 2026'],
    ['ar-EG', '{day, date, ::yyyyMMMM}', { day: DAY }, 'مارس ٢٠٢٦'],
  ]
  for (const [language, text, values, written] of rows) {
    it(`is ${JSON.stringify(written)} in ${language}`, () => {
      assert.equal(write(language, text, values), written)
    })
  }

  it('contains any text that it is given, unchanged', () => {
    const { t } = translator('en', { text: '<{a}|{b}>' })
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (a, b) => {
        assert.equal(t('text', { a, b }), `<${a}|${b}>`)
      }),
    )
  })

  it('takes values and keys with the names of members of Object', () => {
    const text = '{constructor} {__proto__} {toString}'
    const { t, logged } = translator('en', { ['__proto__']: 'a prototype', constructor: 'a class', text })
    assert.deepEqual([t('__proto__'), t('constructor'), t('toString')], ['a prototype', 'a class', 'toString'])
    assert.equal(t('text', { constructor: 'a', ['__proto__']: 'b', toString: 'c' } as never), 'a b c')
    assert.equal(t('text'), '{constructor} {__proto__} {toString}')
    assert.equal(logged.length, 4)
  })

  it('that does not exist is its key, and logged once', () => {
    const { t, logged } = translator('en', { a: 'A' })
    assert.deepEqual([t('b.c'), t('b.c')], ['b.c', 'b.c'])
    assert.deepEqual(logged, ['The message "b.c" does not exist. Add it to messages.en, or correct the key.'])
  })

  it('is logged for a bounded number of keys', () => {
    const { t, logged } = translator('en', {})
    for (let key = 0; key < 2000; key++) t(`k${key}`)
    assert.equal(logged.length, 1000)
  })

  it('shows the name of a value that is missing, and logs it once', () => {
    const { t, logged } = translator('en', { a: 'Hello, {name}! {n, plural, one {one} other {many}}' })
    assert.equal(t('a', { n: 1 }), 'Hello, {name}! one')
    assert.equal(t('a', { n: 2, name: undefined } as never), 'Hello, {name}! many')
    assert.deepEqual(logged, ['The message "a" of messages.en takes the value "name", which t() did not receive.'])
  })

  it('is shown as it is written if a value has the wrong type', () => {
    const { t, logged } = translator('en', { a: 'On {day, date, long}' })
    assert.equal(t('a', { day: 'no date' }), 'On {day, date, long}')
    assert.match(logged[0] ?? '', /^The message "a" of messages\.en cannot be written: /)
  })
})

it('a class that is given parses the messages', () => {
  let parsed = 0
  class Counting extends IntlMessageFormat {
    constructor(text: string, language: string, _formats: undefined, options: { readonly ignoreTag: true }) {
      super(text, language, undefined, options)
      parsed += 1
    }
  }
  const { t } = translator('en', { a: 'Hello, {name}!', b: 'Without values' }, Counting)
  assert.equal(t('a', { name: 'Ann' }), 'Hello, Ann!')
  assert.equal(t('b'), 'Without values')
  assert.equal(parsed, 1)
})
