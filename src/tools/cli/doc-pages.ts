import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { nearest } from '../../base/suggest.ts'
import { PACKAGE_FOLDER } from './package-folder.ts'

/** The documentation, which the package contains as Markdown. */
const DOCS = new URL('docs/', PACKAGE_FOLDER)

/** Folders in the order in which their pages are listed and found. Others follow. */
const FOLDERS: readonly string[] = ['guides', 'recipes', 'reference', '.', 'contributing', 'decisions']

/** A page of the documentation. */
export interface DocPage {
  /** The path below `docs/`, without extension: `guides/sessions`. */
  readonly path: string
  /** The name after the topmost folder: `sessions`, `coming-from/hono`. */
  readonly name: string
  /** The topmost folder, or `.`. */
  readonly folder: string
  readonly title: string
  readonly text: string
}

/** Returns all pages: the guides in their order, then the reference, then the rest. */
export function docPages(): DocPage[] {
  const root = fileURLToPath(DOCS)
  const order = guideOrder()
  const rank = ({ folder, name }: DocPage): [number, number] => [
    orLast(FOLDERS.indexOf(folder)),
    folder === 'guides' ? orLast(order.indexOf(name)) : 0,
  ]
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, `${entry.parentPath}${sep}${entry.name}`).replaceAll(sep, '/'))
    .filter((file) => !file.startsWith('site/')) // Its packages, in a checkout.
    .map(pageOf)
    .sort((a, b) => {
      const [[folder, place], [otherFolder, otherPlace]] = [rank(a), rank(b)]
      return folder - otherFolder || place - otherPlace || (a.path < b.path ? -1 : 1)
    })
}

/**
 * Returns the page for a topic: its path, its name or the number of a decision, in any case. If several pages have the
 * name, the guide is first.
 *
 * @throws UsageError - no page has the name. The message names the nearest one, or pages that contain the word.
 */
export function findPage(pages: readonly DocPage[], topic: string): DocPage {
  const typed = topic.toLowerCase().replace(/^\.\//, '').replace(/\.md$/, '')
  const wanted = typed.replace(/^docs\//, '')
  const found =
    pages.find(({ path }) => path.toLowerCase() === wanted && (typed !== wanted || path.includes('/'))) ??
    pages.find(({ name }) => name.toLowerCase() === wanted) ??
    pages.find(({ name }) => basename(name) === wanted) ??
    pages.find(({ folder, name }) => folder === 'decisions' && name.replace(/-.*/s, '') === wanted)
  if (found !== undefined) return found
  const guess = nearest(
    wanted,
    pages.flatMap(({ name }) => [name, basename(name)]),
  )
  throw new UsageError(
    `the documentation has no page ${quoted(topic)}`,
    guess === undefined ? mentions(pages, wanted) : `did you mean 'propylon docs ${guess}'?`,
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

function mentions(pages: readonly DocPage[], word: string): string {
  const paths = pages.filter(({ text }) => text.toLowerCase().includes(word)).map(({ path }) => path)
  if (word === '' || paths.length === 0) return "'propylon docs' lists the pages"
  const more = paths.length > 5 ? ', …' : ''
  return `it is mentioned in ${paths.slice(0, 5).join(', ')}${more}`
}

function pageOf(file: string): DocPage {
  const text = readFileSync(new URL(file, DOCS), 'utf8').replaceAll('\r\n', '\n')
  const path = file.slice(0, -'.md'.length)
  const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : dirname(path)
  const name = posix.relative(folder, path)
  return { path, name, folder, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
}

/** Returns the names of the guides in the order in which they are read. */
function guideOrder(): string[] {
  const order: unknown = JSON.parse(readFileSync(new URL('guides/order.json', DOCS), 'utf8'))
  if (!Array.isArray(order)) throw new Error('docs/guides/order.json is not an array')
  return order.map(String)
}

function orLast(index: number): number {
  return index === -1 ? Number.MAX_SAFE_INTEGER : index
}
