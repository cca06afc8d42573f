import { hasColour } from '../../../base/colour.ts'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { columns, type Line, print, styled } from '../../../base/command-line/terminal.ts'
import { type DocPage, docPages, findPage, missingPage, sectionOfCode } from '../doc-pages.ts'
import { type Hit, searchPages } from '../doc-search.ts'
import { markdownLines } from '../markdown.ts'
import { printPaged } from '../pager.ts'

/** `propylon docs [TOPIC]` */
export const docs: Command = {
  name: 'docs',
  summary: 'Show a page of the documentation, list the pages, or search them',
  arguments: [
    {
      name: 'TOPIC',
      summary: 'A page, such as sessions or reference/command-line, the code of an error, or words',
      optional: true,
      rest: true,
    },
  ],
  options: {},
  details: [
    'In a terminal a long page is shown by the program of the variable PAGER, or by less. An empty PAGER turns this\noff, and NO_COLOR shows the Markdown as it is written.',
  ],
  examples: [
    'propylon docs',
    'propylon docs sessions',
    'propylon docs 041',
    'propylon docs E_ROUTE_UNKNOWN',
    'propylon docs getting started',
  ],
  async run(parsed, context) {
    const pages = docPages()
    const topic = parsed.arguments.join(' ')
    if (parsed.arguments.length === 0) {
      await printPaged(context, list(pages))
      return 0
    }
    const section = sectionOfCode(pages, topic)
    const page = section === undefined ? findPage(pages, topic) : undefined
    const text = section ?? page?.text
    if (text === undefined) {
      const hits = searchPages(pages, topic)
      if (hits.length === 0) throw missingPage(pages, topic)
      print(context, ...found(hits, pages))
      return 0
    }
    const others = pages.filter(({ name }) => name === page?.name).filter((other) => other !== page)
    const more = others.length === 0 ? [] : ['', `See also: propylon docs ${others.map(fullName).join(', ')}`]
    await printPaged(context, [...shown(withoutComments(text).trimEnd(), context), ...more])
    return 0
  },
}

/** Number of pages that a search lists. */
const MOST_FOUND = 10

/** Returns the best pages of a search, with the section that contains what was searched. */
function found(hits: readonly Hit[], pages: readonly DocPage[]): Line[] {
  const rows = hits
    .slice(0, MOST_FOUND)
    .map(({ page, section }) => [styled('cyan', `  ${shortName(page, pages)}`), page.title, section])
  const more = hits.length > MOST_FOUND ? [`  … and ${hits.length - MOST_FOUND} more`] : []
  return [styled('bold', 'Found in:'), ...columns(rows), ...more, '', "'propylon docs TOPIC' shows a page."]
}

/** Returns a page as a terminal shows it, and as it is written for programs. */
function shown(text: string, { stdout, env }: Context): Line[] {
  if (!hasColour(stdout, env)) return text.split('\n')
  return markdownLines(text, Math.min(stdout.columns ?? 80, 100))
}

/** Removes the HTML comments between the paragraphs of a page, which are for its tests and tools. */
function withoutComments(text: string): string {
  return text.replaceAll(/^(`{3,})[\s\S]*?^\1$|^<!--[\s\S]*?-->\n\n?/gm, (part) =>
    part.startsWith('<!--') ? '' : part,
  )
}

/** Returns the pages by folder. A page that another one hides by its name is listed by its path. */
function list(pages: readonly DocPage[]): Line[] {
  const lines: Line[] = []
  // Node 20, which can run this command outside of a project, has no Map.groupBy().
  for (const folder of new Set(pages.map((page) => page.folder))) {
    const group = pages.filter((page) => page.folder === folder)
    const title = folder === '.' ? 'Topics' : `${folder.charAt(0).toUpperCase()}${folder.slice(1)}`
    const rows = group.map((page) => [styled('cyan', `  ${shortName(page, pages)}`), page.title])
    lines.push(styled('bold', `${title}:`), ...columns(rows), '')
  }
  return [...lines, "'propylon docs TOPIC' shows a page."]
}

/** Returns the name of a page, or its path if another page hides it by its name. */
function shortName(page: DocPage, pages: readonly DocPage[]): string {
  return findPage(pages, page.name) === page ? page.name : fullName(page)
}

/** Returns a name that only this page has. */
function fullName({ folder, path }: DocPage): string {
  return folder === '.' ? `docs/${path}` : path
}
