import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../pages.ts'

const sidebar: { text: string; items: { text: string; link: string }[] }[] = JSON.parse(
  readFileSync(new URL('./navigation.json', import.meta.url), 'utf8'),
)

/** The groups in the bar at the top, if they have pages. */
const bar = ['Guides', 'Reference', 'API', 'Decisions'].flatMap((text) => {
  const link = sidebar.find((group) => group.text === text)?.items[0]?.link
  return link === undefined ? [] : [{ text, link, activeMatch: `^/${text.toLowerCase()}/` }]
})

const base = process.env.DOCS_BASE ?? '/'

/** A gate, as the name says. */
const icon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path fill='#3451b2' d='M0 5 8 0l8 5v1H0zm1 2h3v9H1zm5.500 0h3v9h-3zM12 7h3v9h-3z'/></svg>"

/** Ranks guides above the many headings of the API, and decisions last. It runs in the browser. */
const boostDocument = (page: string) =>
  page.includes('/guides/')
    ? 2
    : page.includes('/api/')
      ? 0.4
      : /\/(?:decisions|project)\//.test(page)
        ? 0.3
        : 1

export default defineConfig({
  title: 'Propylon',
  description: 'A TypeScript web framework for the controller layer',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  srcDir: 'pages',
  outDir: 'dist',
  lastUpdated: false,
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  themeConfig: {
    nav: bar,
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument } } },
    },
    notFound: {
      title: 'There is no such page',
      quote: 'Search for it, or begin with the guides.',
      linkText: 'To the first page',
      linkLabel: 'To the first page',
    },
    editLink: { pattern: `${base}:path`, text: 'This page as Markdown' },
    footer: { message: `MIT licence. For programs: <a href="${base}llms.txt">llms.txt</a>.` },
  },
})
