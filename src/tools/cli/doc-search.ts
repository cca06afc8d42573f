import { escapeRegex } from '../../base/regex.ts'
import type { DocPage } from './doc-pages.ts'

/** A page that contains what was searched. */
export interface Hit {
  readonly page: DocPage
  /** The heading of the section that contains the words, or '' if only the beginning of the page does. */
  readonly section: string
}

/** Pages that come after the others, by the beginnings of their paths: they are about the framework itself, or about other frameworks. */
const LATER: readonly string[] = [
  'contributing/',
  'decisions/',
  'project/',
  'recipes/',
  'guides/coming-from/',
  'reference/scoreboard',
  'reference/benchmarks',
]

/** Words that say nothing about the subject of a page. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at by can do does for from how i in is it its of on or that the this to what when with'.split(
    ' ',
  ),
)

/**
 * Returns the pages that contain the words at the beginning of a word, in any case. A page may lack one of three or more words. The best are
 * first: those that have the words in their title, their keywords or their headings, and next to each other.
 */
export function searchPages(pages: readonly DocPage[], text: string): Hit[] {
  const typed = text.split(/\s+/).filter((word) => word !== '')
  const telling = typed.filter((word) => !STOP_WORDS.has(word.toLowerCase()))
  const words = telling.length === 0 ? typed : telling
  if (words.length === 0) return []
  const patterns = words.map((word) => patternOf(stemOf(word)))
  const phrase = patternOf(typed.join(' '))
  return pages
    .map((page) => ({ page, rank: rankOf(page, patterns, phrase) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ page }) => ({ page, section: sectionOf(page, phrase, patterns) }))
}

/** Returns a word without the s of a plural. */
function stemOf(word: string): string {
  return /^[\p{L}-]{4,}(?<![ius])s$/iu.test(word) ? word.slice(0, -1) : word
}

/** Returns the pattern of words, each of which may have another ending, next to each other. */
function patternOf(words: string): RegExp {
  const escaped = escapeRegex(words).replaceAll(' ', '\\s+')
  return new RegExp(`(?<![\\p{L}\\d_])${escaped}`, 'giu')
}

/** Returns how well a page fits. 0 if it lacks a word, or more than one of three or more. */
function rankOf(page: DocPage, patterns: readonly RegExp[], phrase: RegExp): number {
  const weights = patterns.map((pattern) => weightOf(page, pattern))
  const lacking = weights.filter((weight) => weight === 0).length
  if (lacking > (patterns.length < 3 ? 0 : 1)) return 0
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / patterns.length
  const rank = mean * (1 - lacking / patterns.length) + 2 * weightOf(page, phrase)
  return LATER.some((path) => page.path.startsWith(path)) ? rank / 4 : rank
}

function weightOf({ title, keywords, text }: DocPage, pattern: RegExp): number {
  const headings = (text.match(/^##+ .+$/gm) ?? []).join('\n')
  /** Returns the occurrences in a part of the page, but not more than `most`. */
  const count = (part: string, most: number) => Math.min(part.match(pattern)?.length ?? 0, most)
  return 40 * count(title, 1) + 30 * count(keywords, 1) + 10 * count(headings, 2) + count(text, 8)
}

/** Returns the heading of the section that fits best, or '' if none has one of the words. */
function sectionOf({ text }: DocPage, phrase: RegExp, patterns: readonly RegExp[]): string {
  const sections = text.split(/^(?=##+ )/m).slice(1)
  const headingOf = (section: string) => /^##+ (.+)/.exec(section)?.[1] ?? ''
  const has = (part: string, pattern: RegExp) => part.search(pattern) !== -1
  const rank = (section: string) => {
    const heading = headingOf(section)
    const words = patterns.map((pattern) => (has(heading, pattern) ? 3 : has(section, pattern) ? 2 : 0))
    const rank = words.reduce((sum: number, word) => sum + word, 0)
    return rank + (has(heading, phrase) ? 3 : has(section, phrase) ? 2 : 0)
  }
  const [best] = sections
    .map((section) => ({ section, rank: rank(section) }))
    .toSorted((a, b) => b.rank - a.rank)
  return best === undefined || best.rank === 0 ? '' : headingOf(best.section)
}
