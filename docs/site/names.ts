/** Links from prose to the API: the first mention of each exported name on a page leads to its documentation. */
import { dirname, posix } from 'node:path'
import type { Page } from './pages.ts'

/** Parts without prose: fenced code, comments, headings, links, and pieces of code, of which some are names. */
const PARTS = /^ *(`{3,}|~{3,}).*?^ *\1 *$|<!--.*?-->|^#+ [^\n]*$|\[(?:[^\][]|\[[^\]]*\])*\]\([^()\s]*\)|`([^`\n]+)`/gms

/** Pages that mention names only in passing. */
const LEFT_OUT = /^(?:index$|decisions\/|project\/|contributing\/|dependencies$)/

/** A name that is written as such: with a capital or a call. Others, such as `number`, have other meanings as well. */
const NAME = /^(?:new )?([A-Za-z]\w*)(\(.*\))?$/s

/**
 * Returns the pages with these links. Names that only headings have are linked at the end of the page.
 *
 * @param places - the documentation of each name, in the repository: `docs/api/node.md#serve`.
 */
export function withNames(pages: readonly Page[], places: ReadonlyMap<string, string>): Page[] {
  return pages.map((page) => (LEFT_OUT.test(page.route) ? page : { ...page, text: textWithNames(page, places) }))
}

function textWithNames({ source, text }: Page, places: ReadonlyMap<string, string>): string {
  const linked = new Set<string>()
  const headed = new Set<string>()
  const linkTo = (name: string, label: string): string | undefined => {
    const place = places.get(name)
    const [file = ''] = place?.split('#') ?? []
    if (place === undefined || file === source) return undefined
    linked.add(name)
    return `[${label}](${posix.relative(dirname(source), place)})`
  }
  const result = text.replaceAll(PARTS, (part: string, _fence, code?: string) => {
    if (part.startsWith('#')) {
      for (const [word] of part.matchAll(/[A-Za-z]\w*(?=\(|\b)/g)) if (isName(part, word)) headed.add(word)
      return part
    }
    const [, name = '', call] = NAME.exec(code ?? '') ?? []
    if (linked.has(name) || (call === undefined && !/[A-Z]/.test(name))) return part
    return linkTo(name, part) ?? part
  })
  if (source.startsWith('docs/api/')) return result
  const rest = [...headed].filter((name) => !linked.has(name)).flatMap((name) => linkTo(name, `\`${name}\``) ?? [])
  return rest.length === 0 ? result : `${result.trimEnd()}\n\nIn the API: ${rest.join(', ')}.\n`
}

/** Returns true for a word of a heading that has a capital within or begins a call. */
function isName(heading: string, word: string): boolean {
  return heading.includes(`${word}(`) || /[a-z][A-Z]/.test(word)
}
