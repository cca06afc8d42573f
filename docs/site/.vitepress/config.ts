import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { anchorOf, HOME, VERSION } from '../pages.ts'
import { searched } from '../search.ts'
import { hangingIndent, isCommand } from '../shell.ts'
import type { SidebarItem } from '../sidebars.ts'
import { themeFixes } from '../theme-fixes.ts'

const sidebar: Record<string, SidebarItem[]> = JSON.parse(
  readFileSync(new URL('./sidebars.json', import.meta.url), 'utf8'),
)

/** Returns the first page of a group. */
function firstLink(item: SidebarItem | undefined): string | undefined {
  return item?.link ?? (item?.items === undefined ? undefined : firstLink(item.items[0]))
}

/** The groups in the bar at the top, if they have pages. */
const bar = ['Guides', 'Reference', 'Examples', 'API'].flatMap((text) => {
  const groups = Object.values(sidebar).flat()
  const link = firstLink(groups.find((group) => group.text === text))
  return link === undefined ? [] : [{ text, link, activeMatch: `^/${text.toLowerCase()}/` }]
})

const descriptions: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./descriptions.json', import.meta.url), 'utf8'),
)

const base = process.env.DOCS_BASE ?? '/'

/** A gate, as the name says. */
const icon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path fill='#96401b' d='M0 5 8 0l8 5v1H0zm1 2h3v9H1zm5.500 0h3v9h-3zM12 7h3v9h-3z'/></svg>"

/** Ranks beginnings of pages above their sections, guides first, the API behind other pages, and decisions last. It runs in the browser. */
const boostDocument = (page: string, _term: string, section?: Record<string, unknown>) => {
  const isWhole = Array.isArray(section?.titles) && section.titles.length === 0
  const kind = /\/guides\/(?!coming-from\/)/.test(page)
    ? 2
    : page.includes('/api/')
      ? 0.4
      : /\/(?:decisions|project)\//.test(page)
        ? 0.3
        : 1
  return isWhole ? kind * 2 : kind
}

/** Style of code that is not highlighted. The style sheet gives its colours to whole blocks. */
const PLAIN = '--shiki-light:#0E1116;--shiki-dark:#F0F3F6'

export default defineConfig({
  title: 'Propylon',
  description: 'A TypeScript web framework for pages, forms and APIs',
  lang: 'en',
  base,
  // By default the theme computes all styles twice when a page loads, to switch off the transitions of colours.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  transformPageData: ({ relativePath }) => ({ description: descriptions[relativePath] ?? '' }),
  transformHead: ({ pageData: { title, description, relativePath } }) =>
    Object.entries({
      'og:type': 'article',
      'og:site_name': 'Propylon',
      'og:title': title,
      'og:description': description,
      'og:url': new URL(relativePath.replace(/(?:^index)?\.md$/, ''), new URL(base, HOME)).href,
      'og:image': new URL('docs/images/wiki.png', new URL(base, HOME)).href,
    }).map(([property, content]) => ['meta', { property, content }]),
  // There are no icons, so the browser need not wait for their empty style sheet.
  transformHtml: (html) => html.replace(/<link [^>]*vp-icons\.css[^>]*>/, ''),
  vite: { build: { chunkSizeWarningLimit: 2000 }, plugins: [themeFixes] },
  srcDir: 'pages',
  outDir: 'dist',
  lastUpdated: false,
  markdown: {
    anchor: { slugify: anchorOf },
    codeTransformers: [
      {
        name: 'writes code of no special colour without elements, of which a page of the API had thousands',
        line(node) {
          node.children = node.children.flatMap((token) =>
            token.type === 'element' && token.properties.style === PLAIN ? token.children : [token],
          )
        },
      },
      {
        name: 'copies commands without their output',
        line(node, number) {
          const lines = this.options.lang === 'sh' ? this.source.split('\n') : []
          const hasPrompts = lines.some((line) => line.startsWith('$ '))
          if (hasPrompts && !isCommand(lines, number - 1)) this.addClassToHast(node, 'vp-copy-ignore')
        },
      },
      {
        name: 'wraps long lines of output below the column that they begin in',
        line(node, number) {
          const indent = this.options.lang === 'text' ? hangingIndent(this.source, number - 1) : undefined
          if (indent === undefined) return
          this.addClassToHast(node, 'wrapped')
          node.properties.style = `--indent:${indent}ch`
        },
      },
    ],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [...bar, { text: VERSION, link: '/project/changelog' }],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { boostDocument, boost: { title: 8, text: 2, titles: 1 } } },
        // Colours of code take most of the time of a build, and the index has none.
        _render: (text, env, markdown) =>
          markdown.render(searched(text, env.relativePath).replaceAll(/^( *`{3,})\w.*$/gm, '$1text'), env),
      },
    },
    notFound: {
      title: 'There is no such page',
      quote: 'Search for it, or begin with the guides.',
      linkText: 'Go to the home page',
      linkLabel: 'Go to the home page',
    },
    editLink: { pattern: `${base}:path`, text: 'This page as Markdown' },
    footer: {
      message: `Propylon ${VERSION}, MIT licence. For programs: <a href="${base}llms.txt">llms.txt</a>.`,
    },
  },
})
