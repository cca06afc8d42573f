/**
 * The parts of all development pages: document, style, security policy, request.
 *
 * @module
 */
import { PAGE_STYLE } from '../../http/error-document.ts'
import { escapeHtml } from '../../http/html.ts'
import { Response } from '../../http/response.ts'
import { environHeaders } from '../../wsgi/environ.ts'
import { STATUS_REASONS } from '../../wsgi/reason-phrase.ts'
import { urlOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'

/** Text that is HTML already. Only {@link html} creates it. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** A value in a template: text is escaped, `undefined` writes nothing, and the items of an array follow one another. */
export type HtmlValue = string | number | undefined | Html | readonly Html[]

/** A template tag: `` html`<p>${text}</p>` ``. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.map((text, index) => text + write(values[index])).join(''))
}

function write(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.toString()
  return typeof value === 'object' ? value.join('') : escapeHtml(String(value))
}

/** The content of a development page. */
export interface DevPage {
  readonly status: number
  /** One line. */
  readonly heading: string
  /** A line above the heading, for instance the class of an error. */
  readonly kind?: string | undefined
  /** The rest, section by section. */
  readonly sections: readonly (Html | undefined)[]
}

/** Headers of every response that shows source, whatever its form. */
export const DEV_HEADERS = { 'Cache-Control': 'no-store', Vary: 'Accept' } as const

/**
 * The response with a development page.
 *
 * Its Content-Security-Policy runs only the page's own style and the live-reload script, which receive a nonce that is
 * new in each response. Markup that reaches the page by mistake can load and run nothing.
 */
export function devResponse({ status, heading, kind, sections }: DevPage): Response {
  const nonce = crypto.randomUUID().replaceAll('-', '')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    // For the events of live reload.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const line = `${status} ${STATUS_REASONS.get(status) ?? ''}`.trim()
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${shortened(heading)}</title>
<style nonce="${nonce}">${new Html(PAGE_STYLE)}
${new Html(DEV_STYLE)}</style></head>
<body>
<header><p class="status">${line}${kind === undefined ? undefined : html` <span>${kind}</span>`}</p>
<h1>${heading}</h1></header>
<main>
${sections.map((section) => section ?? html``)}</main>
</body>
</html>
`
  return new Response(page.toString(), {
    status,
    headers: { ...DEV_HEADERS, 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' },
  })
}

/** Maximum length of the title of a page, which a tab shows. */
const TITLE_LENGTH = 80

function shortened(title: string): string {
  return title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH - 1)}…` : title
}

/** A section with a heading; undefined without content. */
export function section(title: string, content: Html | undefined): Html | undefined {
  return content && html`<section><h2>${title}</h2>${content}</section>\n`
}

/** A table with a row of column names; undefined without rows. */
export function table(columns: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html | undefined {
  if (rows.length === 0) return undefined
  const head = columns.map((name) => html`<th scope="col">${name}</th>`)
  return html`<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  )}</tbody></table></div>`
}

/** A table of names and values; undefined without rows. */
export function pairs(rows: readonly (readonly [name: string, value: HtmlValue])[]): Html | undefined {
  if (rows.length === 0) return undefined
  const lines = rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td><code>${value}</code></td></tr>\n`)
  return html`<div class="wide" tabindex="0"><table class="pairs"><tbody>${lines}</tbody></table></div>`
}

/** An excerpt of source: the lines that begin with `>` are highlighted. */
export function sourceBlock(excerpt: string): Html {
  const lines = excerpt
    .split('\n')
    .map((line) => (line.startsWith('>') ? html`<mark>${line}\n</mark>` : html`${line}\n`))
  return html`<pre tabindex="0"><code>${lines}</code></pre>`
}

/** The style of development pages, and of the pages of services. */
export const DEV_STYLE = `:root{--accent:#a31818;--mark:#ffe6e0}
@media (prefers-color-scheme:dark){:root{--accent:#ff9c8f;--mark:#4b1d20}}
body{max-width:64rem;padding:2rem 1.25rem 4rem}
header{border-left:.3rem solid var(--accent);padding-left:1rem}h1{margin:0;white-space:pre-wrap}
.status{margin:0;color:var(--accent);font-weight:600}.status span{color:var(--dim);font-weight:400}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
code,pre,.path{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85rem}
pre{margin:.6rem 0;padding:.7rem 0;overflow:auto;background:var(--soft);border:1px solid var(--line);border-radius:.4rem;tab-size:2;overflow-wrap:normal}
pre code{display:block;box-sizing:border-box;width:max-content;min-width:100%;padding:0 1rem}pre.text{padding:.7rem .8rem;white-space:pre-wrap}
mark{display:block;margin:0 -1rem;padding:0 1rem;background:var(--mark);color:inherit;box-shadow:inset .2rem 0 var(--accent)}
.wide{overflow-x:auto}table{overflow-wrap:normal;border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:600;white-space:nowrap}.pairs th{width:11rem;overflow-wrap:anywhere;font-weight:500;color:var(--dim)}
td{min-width:4rem}td code{white-space:nowrap}.pairs td code{white-space:normal;overflow-wrap:anywhere}
.dim{color:var(--dim)}ol.stack,ol.stack ol{list-style:none;margin:0;padding:0;font-size:.9rem}ol.stack li{border-bottom:1px solid var(--line);padding:.3rem 0}
summary{cursor:pointer}section>details{margin:.5rem 0;font-size:.9rem}main>p{margin:.8rem 0 0}
@media (max-width:40rem){.pairs th{width:auto;min-width:5.5rem}.status span{display:block}}`

/** Names of headers, query fields and path parameters whose values are secret. */
const SECRET = /cookie|auth|token|secret|passw|api-?_?key|session|credential|signature|csrf|xsrf/i

const MASK = '••••••'

/** The value of a name, or a mask if the name says that the value is secret. */
export function masked(name: string, value: string): string {
  return SECRET.test(name) && value !== '' ? MASK : value
}

/** A URL whose secret query values are masked. */
function maskedUrl(url: string): string {
  return url.replace(/([?&;])([^=&;?]+)=([^&;#]*)/g, (_, mark, name, value) => `${mark}${name}=${masked(name, value)}`)
}

/** The section with method, URL and client. The header fields are folded. */
export function requestSection(environ: Environ): Html | undefined {
  const headers = environHeaders(environ).map(
    ([name, value]) => [name, masked(name, name === 'referer' ? maskedUrl(value) : value)] as const,
  )
  const request = pairs([
    ['Method', environ.REQUEST_METHOD],
    ['URL', maskedUrl(urlOf(environ))],
    ...(environ.REMOTE_ADDR ? [['Client', environ.REMOTE_ADDR] as const] : []),
  ])
  return section('Request', html`${request}<details><summary>Header fields</summary>${pairs(headers)}</details>`)
}
