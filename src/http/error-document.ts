/**
 * The body of an error response in its three formats: HTML, problem document (RFC 9457), plain text.
 *
 * @module
 */

import { printable } from '../base/printable.ts'
import type { ErrorTexts } from './error-texts.ts'
import { escapeHtml } from './html.ts'
import { isJson } from './media-type.ts'
import { rangesOf } from './negotiation.ts'

/** The style of built-in pages, in the colours of created projects. Pages that add rules of their own begin with it. */
export const PAGE_STYLE = `:root{color-scheme:light dark;--line:#ddd3c4;--soft:#f4efe6;--dim:#635c52;--link:#96401b;color:#22201d;background:#fffdf9}
@media (prefers-color-scheme:dark){:root{--line:#453e36;--soft:#28241f;--dim:#b0a89c;--link:#f0a078;color:#e9e4dc;background:#1c1a18}}
body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:42rem;padding:3rem 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}a{color:var(--link)}`

/** The content of an error response. */
export interface ErrorDocument extends ErrorTexts {
  readonly status: number
  /** Target of a redirect. */
  readonly location: string | undefined
  readonly json: Readonly<Record<string, unknown>> | undefined
  /** Nonce with which the Content-Security-Policy allows the style. */
  readonly nonce?: string | undefined
}

/** A value that was refused. */
export interface ProblemError {
  /** Name of the argument, or path of the field: `email`, `lines.0.price`. Empty for the body as a whole. */
  readonly name: string
  /** The reason. */
  readonly detail: string
  /** Name of the form, on a page with several. */
  readonly form?: string
}

/** An error for programs, with the extension members of its exception. */
export interface Problem {
  /** The status of the response. */
  readonly status: number
  /** Reason of the status, such as `Not Found`. */
  readonly title: string
  /** The message for the client. */
  readonly detail?: string
  /** The values that were refused. */
  readonly errors?: readonly ProblemError[]
  readonly [extension: string]: unknown
}

/** Media types of the three formats. */
export type ErrorMediaType = 'text/html' | 'application/problem+json' | 'text/plain'

/**
 * Selects the format. Wildcards are ignored, because almost every client sends them: a client that names neither HTML
 * nor JSON receives text. Among equal weights the first wins.
 */
export function errorMediaType(accept: string | undefined): ErrorMediaType {
  let chosen: ErrorMediaType = 'text/plain'
  let best = 0
  if (accept === undefined) return chosen
  for (const { value, quality } of rangesOf(accept)) {
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
  const allowsJson = range === 'application/*' || isJson({ essence: range })
  return allowsJson ? 'application/problem+json' : undefined
}

/** Renders an error in a format. */
export const RENDERERS: Readonly<Record<ErrorMediaType, (document: ErrorDocument) => string>> = {
  'text/html': renderHtml,
  'application/problem+json': renderProblem,
  'text/plain': renderText,
}

/** Renders plain text: status line, explanation, location and detail, separated by blank lines. */
function renderText({ statusLine, explanation, location, detail }: ErrorDocument): string {
  let text = statusLine
  for (const part of [explanation, location, detail]) if (isPresent(part)) text += `\n\n${part}`
  // Terminals obey control characters.
  return printable(`${text}\n`)
}

/** Renders a page without scripts or external resources. It stays readable if a policy blocks its style. */
function renderHtml(document: ErrorDocument): string {
  const line = escapeHtml(document.statusLine)
  const paragraphs = [document.explanation, document.detail].filter(isPresent).map(paragraph)
  if (document.location !== undefined) paragraphs.push(`<p>${link(document.location)}</p>`)
  const { language = 'en' } = document
  // English is written as before. The direction of another language follows from its letters.
  const direction = language === 'en' ? '' : ' dir="auto"'
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>${line}</title>`,
    `<style${document.nonce === undefined ? '' : ` nonce="${escapeHtml(document.nonce)}"`}>${PAGE_STYLE}</style></head>`,
    `<body${direction}>`,
    '<main>',
    `<h1>${line}</h1>`,
    ...paragraphs,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/**
 * Renders a problem document. `statusLine` is an extension member: `title` must be the registered reason (RFC 9457
 * §4.2.1).
 */
export function renderProblem(document: ErrorDocument): string {
  return JSON.stringify({ type: 'about:blank', ...problemOf(document), statusLine: document.statusLine })
}

/** Returns the members of a problem that every form of errors has. */
export function problemOf({ status, title, detail, explanation, json }: ErrorDocument): Problem {
  const text = detail ?? explanation
  return { title, ...json, status, ...(text !== '' && { detail: text }) }
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}

// http, https or a relative URL. `java\tscript:` does not match: it has a colon before any slash.
const WEB_URL = /^(?:https?:|[^:]*(?:[/?#]|$))/i

/** Returns a link to a web page. Other URLs, such as `javascript:`, stay text. */
function link(location: string): string {
  const text = escapeHtml(location)
  return WEB_URL.test(location) ? `<a href="${text}">${text}</a>` : text
}
