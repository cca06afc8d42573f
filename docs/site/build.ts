/** Builds the site into `dist/`: pages as HTML and as Markdown, the search index, llms.txt and llms-full.txt. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { apiPages } from './api.ts'
import { linked } from './links.ts'
import { llmsFull, llmsList } from './llms.ts'
import { navigation } from './navigation.ts'
import { type Page, repositoryPages } from './pages.ts'

const SITE = fileURLToPath(new URL('./', import.meta.url))
const base = process.env.DOCS_BASE ?? '/'

const pages = linked([...repositoryPages(), ...apiPages()])
const groups = navigation(pages)
const home = pages.find(({ route }) => route === 'index')
if (home === undefined) throw new Error('There is no README.md')

for (const folder of ['pages', 'dist']) rmSync(join(SITE, folder), { recursive: true, force: true })
for (const page of pages) write(`pages/${page.route}.md`, page === home ? homePage(home) : page.text)
write(
  '.vitepress/navigation.json',
  JSON.stringify(
    groups.map(({ title, isClosed, pages: members }) => ({
      text: title,
      collapsed: isClosed,
      items: members.map(({ title: text, route }) => ({
        text,
        link: `/${route.replace(/(?:^|\/)index$/, '/')}`,
      })),
    })),
  ),
)
const images = fileURLToPath(new URL('../images/', import.meta.url))
// The paths are those in the repository, because the pages that are Markdown have them.
cpSync(images, join(SITE, 'pages/docs/images'), { recursive: true })
await build(SITE)
cpSync(images, join(SITE, 'dist/docs/images'), { recursive: true })
for (const page of pages) write(`dist/${page.route}.md`, page.text)
write('dist/llms.txt', llmsList(home, groups, base))
write('dist/llms-full.txt', llmsFull(home, groups))
console.log(`${pages.length} pages in docs/site/dist/`)

/** Returns the README below a banner, without its title. */
function homePage({ text, title }: Page): string {
  const hero = {
    layout: 'home',
    hero: {
      name: title,
      text: 'The controller layer for TypeScript',
      tagline: 'Routes lead to actions, arguments arrive by name, and everything is a WSGI-like application.',
      actions: actions(),
    },
  }
  return `---\n${JSON.stringify(hero)}\n---\n\n${text.replace(/^# .+\n/, '')}`
}

/** Returns the buttons of the home page: the first guide, the examples and the API, as far as they exist. */
function actions(): { theme: string; text: string; link: string }[] {
  const first = groups.find(({ title }) => title === 'Guides')?.pages[0]
  const wanted = [
    first === undefined ? undefined : { theme: 'brand', text: first.title, link: `/${first.route}` },
    { theme: 'alt', text: 'Examples', link: '/examples' },
    { theme: 'alt', text: 'API', link: '/api/propylon' },
  ]
  return wanted
    .filter((each) => each !== undefined)
    .filter(({ link }) => pages.some(({ route }) => `/${route}` === link))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(SITE, path)), { recursive: true })
  writeFileSync(join(SITE, path), text)
}
