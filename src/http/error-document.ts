/**
 * The body of an error response in its three forms: HTML, problem document (RFC 9457), plain text.
 *
 * @module
 */

import { escapeHtml } from './html.ts'
import { parseAccept } from './negotiation.ts'
import { PAGE_STYLE } from './page-style.ts'

/** What an error response says. */
export interface ErrorDocument {
  readonly status: number
  readonly statusLine: string
  readonly title: string
  readonly explanation: string
  readonly detail: string | undefined
  readonly comment: string | undefined
  /** Where a redirect leads. */
  readonly location: string | undefined
  readonly json: Readonly<Record<string, unknown>> | undefined
}

/** The media types of the three forms. */
export type ErrorMediaType = 'text/html' | 'application/problem+json' | 'text/plain'

/**
 * Chooses the form. A type counts only when the client names it, because every client says that it accepts anything:
 * whoever does not name HTML or JSON gets text. Of equal weights the one named first wins.
 */
export function errorMediaType(accept: string | undefined): ErrorMediaType {
  let chosen: ErrorMediaType = 'text/plain'
  let best = 0
  if (accept === undefined) return chosen
  for (const { value, quality } of parseAccept(accept)) {
    const type = namedType(value)
    if (type !== undefined && quality > best) {
      chosen = type
      best = quality
    }
  }
  return chosen
}

function namedType(range: string): ErrorMediaType | undefined {
  if (range === 'text/html' || range === 'application/xhtml+xml') return 'text/html'
  if (range === 'text/plain' || range === 'text/*') return 'text/plain'
  const isJson = range === 'application/json' || range === 'application/*' || range.endsWith('+json')
  return isJson ? 'application/problem+json' : undefined
}

/** The plain-text form: status line, explanation and detail, a blank line between them. */
export function renderText(document: ErrorDocument): string {
  const parts = [document.statusLine, document.explanation, document.location, document.detail]
  return `${parts.filter(isPresent).join('\n\n')}\n`
}

/** The HTML form: a page without scripts that loads nothing. It stays readable if a policy forbids its style. */
export function renderHtml(document: ErrorDocument): string {
  const line = escapeHtml(document.statusLine)
  const paragraphs = [document.explanation, document.detail].filter(isPresent).map(paragraph)
  if (document.location !== undefined) paragraphs.push(`<p>${link(document.location)}</p>`)
  if (document.comment !== undefined) paragraphs.push(`<!-- ${commentText(document.comment)} -->`)
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>${line}</title>`,
    `<style>${PAGE_STYLE}</style></head>`,
    '<body>',
    `<h1>${line}</h1>`,
    ...paragraphs,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** The JSON form. `statusLine` is an extension member: the title is to be the registered reason (RFC 9457 §4.2.1). */
export function renderProblem(document: ErrorDocument): string {
  return JSON.stringify({
    type: 'about:blank',
    title: document.title,
    ...document.json,
    status: document.status,
    detail: document.detail ?? (document.explanation || undefined),
    statusLine: document.statusLine,
  })
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}

// http, https, or no scheme at all. A blank or tab is no way around it: `java\tscript:` has a colon before any slash.
const LEADS_TO_A_PAGE = /^(?:https?:|[^:]*(?:[/?#]|$))/i

/** A link, but only where it leads to a web page: `javascript:` and its like stay text. */
function link(location: string): string {
  const text = escapeHtml(location)
  return LEADS_TO_A_PAGE.test(location) ? `<a href="${text}">${text}</a>` : text
}

/** Text that cannot end the comment it stands in. */
function commentText(text: string): string {
  return escapeHtml(text).replace(/-(?=-)/g, '- ')
}
