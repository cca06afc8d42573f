/** The pages of the API in parts, of which browsers lay out only those near the window. */
import type { MarkdownEnv, MarkdownOptions } from 'vitepress'

type Renderer = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** Wraps the text below each heading of an exported name. The headings stay outside, because the outline needs their places. */
export function wrapEntries(markdown: Renderer): void {
  markdown.core.ruler.push('entries', ({ Token, env, tokens }) => {
    if (!(env as MarkdownEnv).relativePath.startsWith('api/')) return
    const wrapped: typeof tokens = []
    const add = (html: string) => {
      wrapped.push(Object.assign(new Token('html_block', '', 0), { content: html }))
    }
    let isOpen = false
    for (const token of tokens) {
      if (isOpen && token.type === 'heading_open' && token.tag !== 'h4') {
        add('</div>')
        isOpen = false
      }
      wrapped.push(token)
      if (token.type === 'heading_close' && token.tag === 'h3') {
        add('<div class="entry">')
        isOpen = true
      }
    }
    if (isOpen) add('</div>')
    tokens.splice(0, tokens.length, ...wrapped)
  })
}
