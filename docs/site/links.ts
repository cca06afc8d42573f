/** Links between pages: from files of the repository to pages of the site. */
import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { anchorOf, type Page, plainText, ROOT } from './pages.ts'

/** Fenced code, inline code and links. Only links are changed. */
const PARTS =
  /^ *(`{3,}|~{3,}).*?^ *\1 *$|`+[^`\n]*`+|(?<!!)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)\)/gms

/**
 * Returns the pages with links that work on the site. A link to a file that is no page becomes plain text.
 *
 * @throws Error - a link leads to a file, a page or a heading that does not exist.
 */
export function linked(pages: readonly Page[]): Page[] {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const anchors = new Map(pages.map((page) => [page, anchorsOf(page.text)]))
  const dead: string[] = []

  function rewritten(page: Page, label: string, target: string): string {
    if (/^[a-z][a-z+.-]*:|^\/\//i.test(target)) return `[${label}](${target})`
    const [path = '', anchor] = target.split('#', 2)
    const folder = path.startsWith('/') ? '' : dirname(page.source)
    const file = path === '' ? page.source : posix.join(folder, decodeURI(path)).replace(/^\/|\/$/g, '')
    const to = bySource.get(file) ?? bySource.get(posix.join(file, 'README.md'))
    const isDead =
      to === undefined ? !existsSync(join(ROOT, file)) : anchor !== undefined && !anchors.get(to)?.has(anchor)
    if (isDead) dead.push(`${page.source}: ${target}`)
    if (to === undefined) return label
    if (to === page) return `[${label}](#${anchor ?? ''})`
    const way = posix.relative(posix.dirname(page.route), `${to.route}.md`)
    return `[${label}](${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`
  }

  const result = pages.map((page) => ({
    ...page,
    text: page.text.replaceAll(PARTS, (part, _fence, label, target) =>
      target === undefined ? part : rewritten(page, label, target),
    ),
  }))
  if (dead.length > 0) throw new Error(`Dead links:\n  ${dead.join('\n  ')}`)
  return result
}

/** Returns the anchors of all headings. Repeated ones are numbered. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(/^ *(`{3,}|~{3,}).*?^ *\1 *$/gms, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(plainText(heading))
    let name = anchor
    for (let i = 1; anchors.has(name); i++) name = `${anchor}-${i}`
    anchors.add(name)
  }
  return anchors
}
