import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linked } from '../../docs/site/links.ts'
import { llmsFull, llmsList, summaryOf } from '../../docs/site/llms.ts'
import { navigation } from '../../docs/site/navigation.ts'
import { anchorOf, type Page, repositoryPages } from '../../docs/site/pages.ts'

function page(route: string, text: string, source = `docs/${route}.md`): Page {
  return { route, source, title: route, text }
}

const guide = page('guides/forms', '# Forms\n\n## Two & more\n')
const home = page('index', '# Propylon\n\nA framework. And more.\n', 'README.md')

describe('the links of the site', () => {
  for (const [link, result] of [
    ['[a](guides/forms.md)', '[a](./guides/forms.md)'],
    ['[a](guides/forms.md#two--more)', '[a](./guides/forms.md#two--more)'],
    ['[a](../README.md)', '[a](./index.md)'],
    ['[`a`](https://example.com/x.md)', '[`a`](https://example.com/x.md)'],
    ['[the source](../src/index.ts)', 'the source'],
    ['`[a](missing.md)`', '`[a](missing.md)`'],
    ['```md\n[a](missing.md)\n```', '```md\n[a](missing.md)\n```'],
    ['[a](#here)', '[a](#here)'],
  ] as const) {
    it(`are ${JSON.stringify(result)} for ${JSON.stringify(link)}`, () => {
      const [, , rewritten] = linked([home, guide, page('files', `## Here\n\n${link}\n`)])
      assert.equal(rewritten?.text, `## Here\n\n${result}\n`)
    })
  }

  for (const link of [
    '[a](missing.md)',
    '[a](guides/forms.md#three)',
    '[a](#nowhere)',
    '[a](../src/missing.ts)',
  ]) {
    it(`may not be dead: ${link}`, () => {
      const target = /\((.*)\)/.exec(link)?.[1]
      assert.throws(
        () => linked([guide, page('files', `${link}\n`)]),
        new Error(`Dead links:\n  docs/files.md: ${target}`),
      )
    })
  }

  it('of all pages lead to pages and headings that exist', () => {
    assert.ok(linked(repositoryPages()).length > 40)
  })
})

it('each page of the site has a title of its own', () => {
  const titles = repositoryPages().map(({ title }) => title)
  assert.deepEqual(
    titles.filter((title, i) => titles.indexOf(title) !== i),
    [],
  )
})

describe('the anchor of a heading', () => {
  for (const [heading, anchor] of [
    ['Two & more', 'two--more'],
    ['limit(options)', 'limitoptions'],
    ['2. Über_uns', '2-über_uns'],
  ] as const) {
    it(`is ${anchor} for ${heading}`, () => assert.equal(anchorOf(heading), anchor))
  }
})

describe('the navigation', () => {
  const groups = navigation(repositoryPages())

  it('holds every page but the home page once', () => {
    const routes = groups.flatMap(({ pages }) => pages.map(({ route }) => route))
    const expected = repositoryPages().map(({ route }) => route)
    assert.deepEqual(routes.toSorted(), expected.filter((route) => route !== 'index').toSorted())
  })

  it('begins with the guides in their order', () => {
    const [first] = navigation([
      page('guides/errors', ''),
      page('guides/zzz', ''),
      guide,
      page('guides/routing', ''),
    ])
    assert.deepEqual(
      first?.pages.map(({ route }) => route),
      ['guides/routing', 'guides/forms', 'guides/errors', 'guides/zzz'],
    )
  })

  it('has the index of a folder before its pages', () => {
    const [reference] = navigation([page('reference/application', ''), page('reference/index', '')])
    assert.deepEqual(
      reference?.pages.map(({ route }) => route),
      ['reference/index', 'reference/application'],
    )
  })
})

describe('llms.txt', () => {
  const groups = navigation([home, guide, page('guides/errors', '# Errors\n\nAn `error`\nends. It\n')])

  it('lists the pages with their first sentences', () => {
    assert.equal(
      llmsList(home, groups, '/docs/'),
      '# index\n\n> A framework.\n\n## Guides\n\n- [guides/forms](/docs/guides/forms.md)\n- [guides/errors](/docs/guides/errors.md): An error ends.\n',
    )
  })

  it('has all pages in llms-full.txt', () => {
    assert.equal(
      llmsFull(home, groups)
        .match(/^<!-- .* -->$/gm)
        ?.join(' '),
      '<!-- index.md --> <!-- guides/forms.md --> <!-- guides/errors.md -->',
    )
  })

  it('summarizes nothing where a page begins with a heading, a table or code', () => {
    for (const text of ['# A\n\n## B\n', '# A\n\n```sh\nls\n```\n', '# A\n\n| a |\n', '# A\n\n- b\n']) {
      assert.equal(summaryOf(text), '')
    }
  })
})
