import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, posix, sep } from 'node:path'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { nearest } from '../../base/suggest.ts'
import { PACKAGE_FOLDER } from './package-folder.ts'

/** The documentation, which the package contains as Markdown. */
const DOCS = new URL('docs/', PACKAGE_FOLDER)

/** Folders in the order in which their pages are listed and found. Others follow. */
const FOLDERS: readonly string[] = [
  'guides',
  'recipes',
  'reference',
  '.',
  'contributing',
  'decisions',
  'project',
]

/** Pages outside of `docs/`, by the paths that the site gives them. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['project/changelog', 'CHANGELOG.md'],
  ['project/examples', 'examples/README.md'],
  ['project/architecture', 'ARCHITECTURE.md'],
  ['project/contributing', 'CONTRIBUTING.md'],
  ['project/security', 'SECURITY.md'],
])

/** A page of the documentation. */
export interface DocPage {
  /** The path below `docs/`, without extension: `guides/sessions`. Pages outside have the folder `project`. */
  readonly path: string
  /** The name after the topmost folder: `sessions`, `coming-from/hono`. */
  readonly name: string
  /** The topmost folder, or `.`. */
  readonly folder: string
  readonly title: string
  /** Words that readers search for, beside the words of the page. */
  readonly keywords: string
  readonly text: string
}

/** Keywords of pages by their paths. */
type Keywords = Readonly<Record<string, string>>

/** Returns all pages: the guides in their order, then the reference, then the rest. */
export function docPages(): DocPage[] {
  const order = readJson<readonly string[]>('guides/order.json')
  const keywords = readJson<Keywords>('keywords.json')
  const rank = ({ folder, name }: DocPage): [number, number] => [
    orLast(FOLDERS.indexOf(folder)),
    folder === 'guides' ? orLast(order.indexOf(name)) : 0,
  ]
  const inside = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith('site/')) // Its packages, in a checkout.
    .map((file) => pageOf(file.slice(0, -'.md'.length), new URL(file, DOCS), keywords))
  const outside = [...OTHERS].map(([path, file]) => pageOf(path, new URL(file, PACKAGE_FOLDER), keywords))
  return [...inside, ...outside].sort((a, b) => {
    const [[folder, place], [otherFolder, otherPlace]] = [rank(a), rank(b)]
    return folder - otherFolder || place - otherPlace || (a.path < b.path ? -1 : 1)
  })
}

/**
 * Returns the page for a topic: its path, its name or the number of a decision, in any case. If several pages have the
 * name, the guide is first. Undefined if there is none.
 */
export function findPage(pages: readonly DocPage[], topic: string): DocPage | undefined {
  const typed = topic.toLowerCase().replace(/^\.\//, '').replace(/\.md$/, '')
  const wanted = typed.replace(/^docs\//, '')
  return (
    pages.find(({ path }) => path.toLowerCase() === wanted && (typed !== wanted || path.includes('/'))) ??
    pages.find(({ name }) => name.toLowerCase() === wanted) ??
    pages.find(({ name }) => basename(name) === wanted) ??
    pages.find(({ folder, name }) => folder === 'decisions' && name.replace(/-.*/s, '') === wanted)
  )
}

/** Returns the error for a topic that no page has in its name or its text. It proposes the nearest name. */
export function missingPage(pages: readonly DocPage[], topic: string): UsageError {
  const guess = nearest(
    topic.toLowerCase(),
    pages.flatMap(({ name }) => [name, basename(name)]),
  )
  return new UsageError(
    `the documentation has no page ${quoted(topic)}`,
    guess === undefined ? "'propylon docs' lists the pages" : `did you mean 'propylon docs ${guess}'?`,
  )
}

/** Returns the section about the code of an error, or undefined if the topic is not a code. */
export function sectionOfCode(pages: readonly DocPage[], topic: string): string | undefined {
  const codes = pages.find(({ path }) => path === 'reference/error-codes')?.text ?? ''
  return codes
    .split(/^(?=##)/m)
    .find((section) => section.startsWith(`### ${topic.toUpperCase()}\n`))
    ?.trimEnd()
}

function pageOf(path: string, file: URL, keywords: Keywords): DocPage {
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : dirname(path)
  const name = posix.relative(folder, path)
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name
  return { path, name, folder, title, keywords: keywords[path] ?? '', text }
}

/** Reads a file of the documentation in JSON. */
function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(new URL(path, DOCS), 'utf8'))
}

function orLast(index: number): number {
  return index === -1 ? Number.MAX_SAFE_INTEGER : index
}
