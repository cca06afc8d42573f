import type { Command } from '../../../base/command-line/command.ts'
import { columns, type Line, print, styled } from '../../../base/command-line/terminal.ts'
import { type DocPage, docPages, findPage, sectionOfCode } from '../doc-pages.ts'

const TITLES: ReadonlyMap<string, string> = new Map([['.', 'Topics']])

/** `propylon docs [TOPIC]` */
export const docs: Command = {
  name: 'docs',
  summary: 'Show a page of the documentation, or list the pages',
  arguments: [
    {
      name: 'TOPIC',
      summary: 'The name of a page, such as sessions or reference/command-line, or the code of an error',
      optional: true,
    },
  ],
  options: {},
  examples: ['propylon docs', 'propylon docs sessions', 'propylon docs 041', 'propylon docs E_ROUTE_UNKNOWN'],
  run(parsed, context) {
    const pages = docPages()
    const topic = parsed.arguments[0]
    if (topic === undefined) {
      print(context, ...list(pages))
      return 0
    }
    const section = sectionOfCode(pages, topic)
    if (section !== undefined) {
      print(context, ...section.split('\n').map(lineOf()))
      return 0
    }
    const page = findPage(pages, topic)
    print(context, ...withoutComments(page.text).trimEnd().split('\n').map(lineOf()))
    const others = pages.filter(({ name }) => name === page.name).filter((other) => other !== page)
    if (others.length > 0) print(context, '', `See also: propylon docs ${others.map(fullName).join(', ')}`)
    return 0
  },
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
    const title = TITLES.get(folder) ?? `${folder.charAt(0).toUpperCase()}${folder.slice(1)}`
    const rows = group.map((page) => [
      styled('cyan', `  ${findPage(pages, page.name) === page ? page.name : fullName(page)}`),
      page.title,
    ])
    lines.push(styled('bold', `${title}:`), ...columns(rows), '')
  }
  return [...lines, "'propylon docs TOPIC' shows a page."]
}

/** Returns a name that only this page has. */
function fullName({ folder, path }: DocPage): string {
  return folder === '.' ? `docs/${path}` : path
}

/** Returns a function that styles the lines of a page in turn: headings are bold, code is not interpreted. */
function lineOf(): (line: string) => Line {
  let isCode = false
  return (line) => {
    if (line.startsWith('```')) isCode = !isCode
    return !isCode && /^#{1,6} /.test(line) ? styled('bold', line) : line
  }
}
