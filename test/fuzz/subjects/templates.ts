/** Templates: no value becomes markup. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { escapeHtml, templateEngine } from 'propylon'
import { soup, text } from '../arbitraries.ts'
import { property, type Subject } from '../property.ts'

type Node = DefaultTreeAdapterMap['node']

const engine = templateEngine({
  'page.eta': `<!doctype html><title><%= it.value %></title><p id="text"><%= it.value %></p><a title="<%= it.value %>" alt='<%= it.value %>'>x</a><% for (const each of it.list) { %><li><%= each %></li><% } %>`,
})

const hostile = fc.oneof(
  text(),
  soup(
    [
      '<',
      '>',
      '&',
      '"',
      "'",
      '`',
      '=',
      '</p>',
      '<script>',
      '</title>',
      '<!--',
      '-->',
      '&lt;',
      '&#60;',
      '&amp',
      ' onload=',
      '/',
      '<%= 1 %>',
      '%>',
      '$&',
      '$1',
    ],
    8,
  ),
)

/** Text that a parser of HTML leaves as it is: it normalizes line ends, and drops or replaces NUL. */
const plain = hostile.map((value) => value.replace(/[\r\0]/g, '').replace(/^\n/, ''))

export const templates: Subject = {
  name: 'templates',
  properties: [
    property(
      'a value is text where text is, and the value of an attribute where that is',
      fc.record({ value: plain, list: fc.array(plain, { maxLength: 3 }) }),
      async ({ value, list }) => {
        const html = String(await engine.render('page', { value, list }))
        const elements = elementsIn(parse(html))
        assert.deepEqual(
          elements.map(({ name }) => name),
          ['html', 'head', 'title', 'body', 'p', 'a', ...list.map(() => 'li')],
          html,
        )
        const named = (name: string) => elements.filter((element) => element.name === name)
        assert.equal(named('title')[0]?.text, value)
        assert.equal(named('p')[0]?.text, value)
        assert.deepEqual(named('a')[0]?.attributes, { title: value, alt: value })
        assert.deepEqual(
          named('li').map((element) => element.text),
          list,
        )
      },
    ),
    property('escaped text has no markup, and its entities mean the text', hostile, (value) => {
      const escaped = escapeHtml(value)
      assert.doesNotMatch(escaped, /[<>"']/)
      assert.doesNotMatch(escaped, /&(?!(?:amp|lt|gt|quot|#39|#x27);)/)
      const entities: Record<string, string> = {
        amp: '&',
        lt: '<',
        gt: '>',
        quot: '"',
        '#39': "'",
        '#x27': "'",
      }
      assert.equal(
        escaped.replace(/&([#\w]+);/g, (_all, name: string) => entities[name] ?? ''),
        value,
      )
    }),
  ],
}

interface Element {
  readonly name: string
  readonly text: string
  readonly attributes: Record<string, string>
}

function elementsIn(node: Node): Element[] {
  const children = 'childNodes' in node ? node.childNodes : []
  const below = children.flatMap(elementsIn)
  if (!('attrs' in node)) return below
  const attributes: Record<string, string> = {}
  for (const { name, value } of node.attrs) if (name !== 'id') attributes[name] = value
  const text = children.map((child) => ('value' in child ? child.value : '')).join('')
  return [{ name: node.tagName, text, attributes }, ...below]
}
