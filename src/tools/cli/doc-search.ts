import type { DocPage } from './doc-pages.ts'

/** A page that contains what was searched. */
export interface Hit {
  readonly page: DocPage
  /** The heading of the section that contains the words, or '' if only the beginning of the page does. */
  readonly section: string
}

/** Folders whose pages come after the others: they are about the framework itself. */
const LATER: ReadonlySet<string> = new Set(['contributing', 'decisions', 'project'])

/**
 * Returns the pages that contain each of the words at the beginning of a word, in any case. The best are first: those that have the
 * words in their title, their keywords or their headings, and next to each other.
 */
export function searchPages(pages: readonly DocPage[], text: string): Hit[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return []
  const patterns = words.map(patternOf)
  const phrase = patternOf(words.join(' '))
  return pages
    .map((page) => ({ page, rank: rankOf(page, patterns, phrase) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ page }) => ({ page, section: sectionOf(page, phrase) ?? sectionOf(page, ...patterns) ?? '' }))
}

function patternOf(words: string): RegExp {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+')
  return new RegExp(`(?<![\\p{L}\\d_])${escaped}`, 'giu')
}

/** Returns how well a page fits. 0 if it lacks a word. */
function rankOf(page: DocPage, patterns: readonly RegExp[], phrase: RegExp): number {
  const ranks = patterns.map((pattern) => weightOf(page, pattern))
  if (ranks.includes(0)) return 0
  const rank = Math.min(...ranks) + 2 * weightOf(page, phrase)
  return LATER.has(page.folder) ? rank / 4 : rank
}

function weightOf({ title, keywords, text }: DocPage, pattern: RegExp): number {
  const headings = (text.match(/^##+ .+$/gm) ?? []).join('\n')
  /** Returns the occurrences in a part of the page, but not more than `most`. */
  const count = (part: string, most: number) => Math.min(part.match(pattern)?.length ?? 0, most)
  return 40 * count(title, 1) + 30 * count(keywords, 1) + 10 * count(headings, 2) + count(text, 8)
}

/** Returns the heading of the section that has a pattern in its heading, or of the first that has one in its text. */
function sectionOf({ text }: DocPage, ...patterns: readonly RegExp[]): string | undefined {
  const sections = text.split(/^(?=##+ )/m).slice(1)
  const has = (part: string) => patterns.some((pattern) => part.search(pattern) !== -1)
  const headingOf = (section: string) => /^##+ (.+)/.exec(section)?.[1] ?? ''
  const found = sections.find((section) => has(headingOf(section))) ?? sections.find(has)
  return found === undefined ? undefined : headingOf(found)
}
