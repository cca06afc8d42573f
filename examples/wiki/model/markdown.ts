import MarkdownIt from 'markdown-it'
import { checkTitle } from './page-rules.ts'

/** Returns the URL of the page with a title. */
type UrlOfPage = (title: string) => string

/** Markdown without HTML of its own. Links to `javascript:` and the like stay text. */
const markdown = new MarkdownIt({ html: false, linkify: true })

/** Links to pages: `[[Title]]`. */
markdown.inline.ruler.before('link', 'page_link', (state, silent) => {
  const [whole, title = ''] = /^\[\[([^[\]\n]+)\]\]/.exec(state.src.slice(state.pos)) ?? []
  const name = title.normalize('NFC')
  if (whole === undefined || checkTitle(name) !== undefined) return false
  if (!silent) {
    const urlOf = state.env.urlOf as UrlOfPage
    state.push('link_open', 'a', 1).attrs = [['href', urlOf(name)]]
    state.push('text', '', 0).content = title
    state.push('link_close', 'a', -1)
  }
  state.pos += whole.length
  return true
})

/** Renders the content of a page as HTML. */
export function renderMarkdown(content: string, urlOf: UrlOfPage): string {
  return markdown.render(content, { urlOf })
}
