/** llms.txt (https://llmstxt.org): the pages as a list of links to Markdown, and all of them in one file. */
import type { Group } from './navigation.ts'
import { type Page, plainText } from './pages.ts'

/** Returns the list of all pages with the first sentence of each. */
export function llmsList(home: Page, groups: readonly Group[], base: string): string {
  const sections = groups.map(({ title, pages }) => {
    const lines = pages.map((page) => {
      const summary = summaryOf(page.text)
      return `- [${page.title}](${base}${page.route}.md)${summary === '' ? '' : `: ${summary}`}`
    })
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# ${home.title}\n\n> ${summaryOf(home.text)}\n\n${sections.join('\n')}`
}

/** Returns all pages but the decisions and the changelog, one after the other. */
export function llmsFull(home: Page, groups: readonly Group[]): string {
  const pages = groups
    .filter(({ title }) => !['Decisions', 'Project'].includes(title))
    .flatMap((group) => group.pages)
  return [home, ...pages].map(({ route, text }) => `<!-- ${route}.md -->\n\n${text.trim()}\n`).join('\n')
}

/** Returns the first sentence below the title, or nothing if no text precedes the next heading or block. */
export function summaryOf(text: string): string {
  const paragraph = /^# .+\n+((?:(?![#|`<-])[^\n]+\n)+)/m.exec(text)?.[1] ?? ''
  const line = plainText(paragraph.replaceAll('\n', ' '))
  return /^.*?[.:!?](?= |$)/.exec(line)?.[0].replace(/:$/, '.') ?? line
}
