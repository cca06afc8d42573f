import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HtmlDocument } from 'propylon/testing'

const page = new HtmlDocument(`<!doctype html><title> A  page </title><style>x</style>
<ul id="list" class="big plain"><li>one<li class=last lang="en-GB">two <b>bold</b></ul>
<p data-x='a "b", c'>text<script>no()</script></p><template><p>hidden</p></template>`)

describe('a selector finds', () => {
  for (const [selector, expected] of [
    ['li', ['one', 'two bold']],
    ['LI', ['one', 'two bold']],
    ['*', 12],
    ['#list', 1],
    ['.last', ['two bold']],
    ['ul.big.plain > li.last', ['two bold']],
    ['body b', ['bold']],
    ['body>b', []],
    ['ul > li > b', ['bold']],
    ['html li b', ['bold']],
    ['[lang]', 1],
    ['[lang=en-GB]', 1],
    ['[lang^="en"]', 1],
    ["[lang$='GB']", 1],
    ['[lang*=n-G]', 1],
    ['[lang^=""]', 0],
    ['[class~=plain]', 1],
    ['[class~=pla]', 0],
    [`[data-x='a "b", c']`, ['text']],
    ['b, p', ['bold', 'text']],
    ['li + li', ['two bold']],
    ['li:nth-child(2) b', ['bold']],
    ['li:not(.last)', ['one']],
    ['li:has(b)', ['two bold']],
    ['nothing', []],
    ['template p', []],
  ] as const) {
    test(selector, () => {
      const found = page.findAll(selector)
      if (typeof expected === 'number') assert.equal(found.length, expected)
      else {
        assert.deepEqual(
          found.map((element) => element.text),
          expected,
        )
      }
    })
  }

  for (const selector of ['', ' ', 'a,', '>a', 'a >', 'a +', 'a!', 'a:no-such', '[x']) {
    test(`refuses ${JSON.stringify(selector)}`, () => {
      assert.throws(() => page.findAll(selector), TypeError)
    })
  }
})

test('a page has a title and a text', () => {
  assert.equal(page.title, 'A page')
  assert.equal(page.text, 'one two bold text')
  assert.equal(new HtmlDocument('').title, '')
})

test('an element has its name, attributes and text', () => {
  const item = page.find('.last')
  assert.equal(item?.tagName, 'li')
  assert.equal(item?.attribute('lang'), 'en-GB')
  assert.equal(item?.attribute('id'), undefined)
  assert.equal(item?.has('class'), true)
  assert.equal(item?.innerHTML, 'two <b>bold</b>')
  assert.equal(item?.parent?.attribute('id'), 'list')
  assert.equal(item?.find('b')?.text, 'bold')
  assert.equal(page.find('script')?.rawText, 'no()')
})

for (const [base, expected] of [
  ['', 'http://localhost/a/b'],
  ['<base href="/x/">', 'http://localhost/x/'],
  ['<base href="http://other.example/">', 'http://other.example/'],
  ['<base href="http://[">', 'http://localhost/a/b'],
] as const) {
  test(`relative URLs are resolved against ${expected} with ${base || 'no base'}`, () => {
    assert.equal(new HtmlDocument(base).baseUrl(new URL('http://localhost/a/b')).href, expected)
  })
}
