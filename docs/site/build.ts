/** Builds the site into `dist/`: pages as HTML and as Markdown, the search index, llms.txt and a file of each section. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { api } from './api.ts'
import { linked } from './links.ts'
import { llmsList, llmsSections, summaryOf } from './llms.ts'
import { withNames } from './names.ts'
import { navigation } from './navigation.ts'
import { withPackageManagers } from './package-managers.ts'
import { HOME, type Page, repositoryPages } from './pages.ts'
import { sidebars } from './sidebars.ts'

const SITE = fileURLToPath(new URL('./', import.meta.url))
const base = process.env.DOCS_BASE ?? '/'

const { pages: reference, places } = api()
const pages = linked(withNames([...repositoryPages(), ...reference], places))
const groups = navigation(pages)
const home = pages.find(({ route }) => route === 'index')
if (home === undefined) throw new Error('There is no README.md')

for (const folder of ['pages', 'dist']) rmSync(join(SITE, folder), { recursive: true, force: true })
for (const page of pages)
  write(`pages/${page.route}.md`, withPackageManagers(page === home ? homePage(home) : page.text))
write('.vitepress/sidebars.json', JSON.stringify(sidebars(groups)))
write(
  '.vitepress/descriptions.json',
  JSON.stringify(Object.fromEntries(pages.map(({ route, text }) => [`${route}.md`, summaryOf(text)]))),
)
const images = fileURLToPath(new URL('../images/', import.meta.url))
// The paths are those in the repository, because the pages that are Markdown have them.
cpSync(images, join(SITE, 'pages/docs/images'), { recursive: true })
await build(SITE)
cpSync(images, join(SITE, 'dist/docs/images'), { recursive: true })
for (const page of pages) write(`dist/${page.route}.md`, page.text)
const address = new URL(base, HOME).href
const sections = llmsSections(groups)
for (const [path, text] of sections) write(`dist/${path}`, text)
const links = [...sections].map(
  ([path, text]) => `- [${path}](${address}${path}): ${Math.ceil(Buffer.byteLength(text) / 1000)} kB`,
)
write(
  'dist/llms.txt',
  llmsList(home, groups, ({ route }) => `${address}${route}.md`, links),
)
console.log(`${pages.length} pages in docs/site/dist/`)

/** Returns the README below a banner, without its title the picture that the banner has, and its caption. */
function homePage({ text, title }: Page): string {
  const hero = {
    layout: 'home',
    hero: {
      name: title,
      text: 'Pages, forms and an API from one class',
      tagline: 'A TypeScript web framework without a build.',
      image: {
        src: '/docs/images/wiki.png',
        alt: 'A page of the wiki among the examples',
        width: 960,
        height: 583,
        fetchpriority: 'high',
      },
      actions: actions(),
    },
  }
  return `---\n${JSON.stringify(hero)}\n---\n\n${text.replace(/^# .+\n/, '').replace(/^!\[.*\n\n\*[^*]+\*\n\n/m, '')}`
}

/** Returns the buttons of the home page: the first guide, the examples and the API, as far as they exist. */
function actions(): { theme: string; text: string; link: string }[] {
  const first = groups.find(({ title }) => title === 'Guides')?.pages[0]
  const wanted = [
    first === undefined ? undefined : { theme: 'brand', text: 'Get started', link: `/${first.route}` },
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
