import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { linked } from '../../docs/site/links.ts'
import { llmsList, llmsSections, summaryOf } from '../../docs/site/llms.ts'
import { withNames } from '../../docs/site/names.ts'
import { navigation } from '../../docs/site/navigation.ts'
import { withPackageManagers } from '../../docs/site/package-managers.ts'
import { anchorOf, type Page, ROOT, repositoryPages } from '../../docs/site/pages.ts'
import { KEYWORDS, searched } from '../../docs/site/search.ts'
import { hangingIndent, isCommand } from '../../docs/site/shell.ts'
import { type SidebarItem, sidebars } from '../../docs/site/sidebars.ts'
import { packedList } from '../../scripts/llms.ts'

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

  for (const link of ['[a](missing.md)', '[a](guides/forms.md#three)', '[a](#nowhere)', '[a](../src/missing.ts)']) {
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

describe('names of the API', () => {
  const places = new Map([
    ['serve', 'docs/api/node.md#serve'],
    ['Request', 'docs/api/propylon/Request.md'],
    ['number', 'docs/api/converters.md#number'],
    ['list', 'docs/api/converters.md#list'],
  ])
  const SERVE = '[`serve()`](../api/node.md#serve)'
  for (const [text, result] of [
    ['`serve()` and `serve(app)`', `${SERVE} and \`serve(app)\``],
    ['a `Request`', 'a [`Request`](../api/propylon/Request.md)'],
    ['a `number`', 'a `number`'],
    ['a `number` and `number(x)`', 'a `number` and [`number(x)`](../api/converters.md#number)'],
    ['[`serve()`](forms.md)', '[`serve()`](forms.md)'],
    ['```ts\nserve() // `serve()`\n```', '```ts\nserve() // `serve()`\n```'],
    ['<!-- `serve()` -->', '<!-- `serve()` -->'],
    ['## serve(app)\n\n`serve()`', `## serve(app)\n\n${SERVE}`],
    ['## serve(app)', '## serve(app)\n\nIn the API: [`serve`](../api/node.md#serve).\n'],
    ['## Request a list', '## Request a list'],
  ] as const) {
    it(`are linked at their first mention: ${JSON.stringify(text)}`, () => {
      assert.equal(withNames([page('guides/a', text)], places)[0]?.text, result)
    })
  }

  it('are not linked to the page that has them', () => {
    const [own] = withNames([page('api/node', '`serve()` and `list()`')], places)
    assert.equal(own?.text, '`serve()` and [`list()`](converters.md#list)')
  })
})

describe('a block of commands', () => {
  const block = (code: string) => `\`\`\`sh\n${code}\n\`\`\``
  for (const [command, pnpm, yarn, bun] of [
    [
      'npm create propylon@latest a',
      'pnpm create propylon@latest a',
      'yarn create propylon@latest a',
      'bun create propylon@latest a',
    ],
    [
      'npm create propylon@latest a -- --login',
      'pnpm create propylon@latest a --login',
      'yarn create propylon@latest a --login',
      'bun create propylon@latest a --login',
    ],
    [
      'npm install valibot && npx propylon check',
      'pnpm add valibot && pnpm exec propylon check',
      'yarn add valibot && yarn propylon check',
      'bun add valibot && bunx propylon check',
    ],
    [
      '$ npm create propylon@latest a\n$ npm install\n$ npm test',
      '$ pnpm create propylon@latest a\n$ pnpm install\n$ pnpm test',
      '$ yarn create propylon@latest a\n$ yarn install\n$ yarn test',
      '$ bun create propylon@latest a\n$ bun install\n$ bun run test',
    ],
  ] as const) {
    it(`has a tab for each package manager: ${JSON.stringify(command)}`, () => {
      const tabs = Object.entries({ npm: command, pnpm, yarn, bun })
      const expected = tabs.map(([name, code]) => `\`\`\`sh [${name}]\n${code}\n\`\`\``)
      assert.equal(
        withPackageManagers(`a\n\n${block(command)}\n`),
        `a\n\n::: code-group\n\n${expected.join('\n\n')}\n\n:::\n`,
      )
    })
  }

  for (const command of ['npm start', 'npm install && npm start', 'curl x', '$ cd a\n$ npm install']) {
    it(`stays as it is if it creates and adds nothing: ${JSON.stringify(command)}`, () => {
      assert.equal(withPackageManagers(block(command)), block(command))
    })
  }
})

describe('a line of output', () => {
  const long = 'x '.repeat(40)
  for (const [title, source, indent] of [
    ['that is short', 'a  b', undefined],
    ['that is long', long, 2],
    ['with columns', `  --name  ${long}`, 10],
    ['of a picture', `${long}\n└─`, undefined],
  ] as const) {
    it(`${title} is ${indent === undefined ? 'not wrapped' : `wrapped to column ${indent}`}`, () => {
      assert.equal(hangingIndent(source, 0), indent)
    })
  }
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
    const [first] = navigation([page('guides/errors', ''), page('guides/zzz', ''), guide, page('guides/routing', '')])
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

  for (const title of ['Guides', 'Reference']) {
    it(`has each page of ${title} below a subject`, () => {
      const subjects = groups.find((group) => group.title === title)?.subjects ?? []
      assert.ok(subjects.length > 5)
      assert.ok(!subjects.some((subject) => subject.title === 'Others'))
      const path = join(ROOT, `docs/${title.toLowerCase()}/order.json`)
      const order: { pages: string[] }[] = JSON.parse(readFileSync(path, 'utf8'))
      assert.equal(
        order.flatMap(({ pages }) => pages).length,
        subjects.flatMap(({ pages }) => pages).length,
        'each name of order.json has a page',
      )
    })
  }
})

describe('the sidebars', () => {
  const bars = sidebars(navigation(repositoryPages()))
  const linksOf = ({ link, items = [] }: SidebarItem): string[] => [
    ...(link === undefined ? [] : [link]),
    ...items.flatMap(linksOf),
  ]
  /** Returns the sidebar that VitePress chooses: the first whose path the page's begins with, folders before others. */
  const sidebarAt = (path: string) =>
    Object.entries(bars)
      .toSorted(([a], [b]) => b.split('/').length - a.split('/').length)
      .find(([start]) => path.startsWith(start))?.[1] ?? []

  it('have the page at which they are shown', () => {
    const pages = repositoryPages().filter(({ route }) => route !== 'index')
    const paths = pages.map(({ route }) => `/${route.replace(/\/index$/, '/')}`)
    assert.deepEqual(
      paths.filter((path) => !sidebarAt(path).flatMap(linksOf).includes(path)),
      [],
    )
  })

  it('of a long entry of the API have its pages, and that of the API has the entry only', () => {
    const pages = [page('api/propylon', ''), page('api/propylon/Mapper', ''), page('api/files', '')]
    const bars = sidebars(navigation(pages))
    const links = (start: string) => bars[start]?.[0]?.items?.map(({ link }) => link)
    assert.deepEqual(links('/api/'), ['/api/propylon', '/api/files'])
    assert.deepEqual(links('/api/propylon/'), ['/api/propylon/Mapper'])
  })

  it('lead to each other', () => {
    for (const sidebar of Object.values(bars)) {
      const links = sidebar.flatMap(linksOf)
      for (const start of ['/guides/', '/reference/', '/decisions/', '/project/'])
        assert.ok(links.some((link) => link.startsWith(start)))
    }
  })
})

describe('llms.txt', () => {
  const groups = navigation([home, guide, page('guides/errors', '# Errors\n\nAn `error`\nends. It\n')])

  it('lists the pages with their summaries', () => {
    assert.equal(
      llmsList(home, groups, ({ route }) => `https://site.example/${route}.md`),
      '# index\n\n> A framework. And more.\n\n## Guides\n\n- [guides/forms](https://site.example/guides/forms.md)\n- [guides/errors](https://site.example/guides/errors.md): An error ends. It\n',
    )
  })

  it('of the package leads to files', () => {
    const targets = [...packedList().matchAll(/^- \[.*?\]\(([^)]+)\)/gm)].map(([, target = '']) => target)
    assert.ok(targets.length > 100)
    assert.deepEqual(
      targets.filter((target) => !existsSync(join(ROOT, target))),
      [],
    )
  })

  it('has a file of each section', () => {
    const sections = llmsSections(groups)
    assert.deepEqual([...sections.keys()], ['llms/guides.txt'])
    assert.equal(
      sections
        .get('llms/guides.txt')
        ?.match(/^<!-- .* -->$/gm)
        ?.join(' '),
      '<!-- guides/forms.md --> <!-- guides/errors.md -->',
    )
  })

  it('has a summary of each page of the repository', () => {
    const without = repositoryPages().filter(({ text }) => summaryOf(text).length < 15)
    assert.deepEqual(
      without.map(({ source }) => source),
      [],
    )
  })

  it('summarizes neither headings nor code, tables, lists and comments', () => {
    for (const start of ['## B\n', '```sh\nls\n```\n', '| a |\n', '- b\n', '<!-- c -->\n', 'Date: today\n']) {
      assert.equal(summaryOf(`# A\n\n${start}\nThe text.\n`), 'The text.')
      assert.equal(summaryOf(`# A\n\n${start}`), '')
    }
  })
})

it('the copy button of a shell block takes commands and leaves their output', () => {
  const lines = ['$ npm create propylon \\', '  my-site', 'created', '$ cd my-site', 'Next:']
  assert.deepEqual(
    lines.filter((_, index) => isCommand(lines, index)),
    [lines[0], lines[1], lines[3]],
  )
})

describe('the search index', () => {
  it('has words that readers search for', () => {
    const index = repositoryPages().map(({ route, text }) => searched(text, `${route}.md`).toLowerCase())
    for (const word of [
      'jwt',
      'pagination',
      'webhook',
      'metrics',
      'seed',
      'logging',
      'getting started',
      'cron',
      'i18n',
    ]) {
      assert.ok(
        index.some((text) => text.includes(word)),
        word,
      )
    }
  })

  it('has no keywords for a page that does not exist', () => {
    const routes = new Set(repositoryPages().map(({ route }) => route))
    assert.deepEqual(
      Object.keys(KEYWORDS).filter((route) => !routes.has(route)),
      [],
    )
  })

  it('has no sections of links', () => {
    assert.equal(searched('# A\n\nText\n\n## Next\n\n- [B](b.md)\n', 'a.md'), '# A\n\nText\n\n')
  })
})
