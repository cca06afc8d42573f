/** llms.txt (https://llmstxt.org): the pages as a list of links to Markdown, and a file of each section. */
import type { Group } from './navigation.ts'
import { type Page, plainText } from './pages.ts'

/** Groups that have no file of their own, because they do not help to write an application. */
const LEFT_OUT: readonly string[] = ['Decisions', 'Project']

/** Paragraphs that are headings, tables, lists, comments, or the date of a decision. */
const NO_PROSE = /^(?:#|\||[-*] |\d+\. |<|!\[|Date: )/

/**
 * Returns the list of all pages with a summary of each.
 *
 * @param linkOf - returns the URL of a page.
 * @param sections - links to files with the text of whole groups.
 */
export function llmsList(
  home: Page,
  groups: readonly Group[],
  linkOf: (page: Page) => string,
  sections: readonly string[] = [],
): string {
  const lists = groups.map(({ title, pages }) => {
    const lines = pages.map((page) => {
      const summary = summaryOf(page.text)
      return `- [${page.title}](${linkOf(page)})${summary === '' ? '' : `: ${summary}`}`
    })
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const whole = sections.length === 0 ? '' : `\n## Whole sections\n\n${sections.join('\n')}\n`
  return `# ${home.title}\n\n> ${summaryOf(home.text)}\n\n${lists.join('\n')}${whole}`
}

/** Returns the text of each group in one file, by its path. */
export function llmsSections(groups: readonly Group[]): Map<string, string> {
  return new Map(
    groups
      .filter(({ title }) => !LEFT_OUT.includes(title))
      .map(({ title, pages }) => [
        `llms/${title.toLowerCase().replaceAll(' ', '-')}.txt`,
        pages.map(({ route, text }) => `<!-- ${route}.md -->\n\n${text.trim()}\n`).join('\n'),
      ]),
  )
}

/** Returns the first sentence of a page, and further ones while it is short. Nothing if the page has no prose. */
export function summaryOf(text: string): string {
  const prose = text.replaceAll(/^ *(`{3,}).*?^ *\1 *$/gms, '').replaceAll(/<!--[\s\S]*?-->/g, '')
  const paragraph = prose.split(/\n\s*\n/).find((part) => part.trim() !== '' && !NO_PROSE.test(part.trim())) ?? ''
  const line = plainText(paragraph.trim().replaceAll('\n', ' '))
  let summary = ''
  for (const sentence of line.split(/(?<=[.:!?]) /)) {
    summary = `${summary} ${sentence}`.trim()
    if (summary.length > 50) break
  }
  return summary.replace(/:$/, '.')
}
