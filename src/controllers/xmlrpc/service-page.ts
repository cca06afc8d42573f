/** HTML page that documents a service. */
import { sha256 } from '@noble/hashes/sha2.js'
import { escapeHtml } from '../../http/html.ts'
import { Response } from '../../http/response.ts'
import { encodeBase64 } from '../../wsgi/base64.ts'
import { encodeUtf8 } from '../../wsgi/bytes.ts'
import { Binary } from '../../xmlrpc/binary.ts'
import { DateTime } from '../../xmlrpc/datetime.ts'
import { double } from '../../xmlrpc/double.ts'
import { encodeCall } from '../../xmlrpc/encode.ts'
import type { Encodable, Signature, SignatureType } from '../../xmlrpc/types.ts'
import type { ServiceMethod } from './methods.ts'

/** A method and its public name. */
export interface PublishedMethod {
  readonly publicName: string
  readonly method: ServiceMethod
}

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1,h2{line-height:1.2}
h2{margin-top:2.5rem;overflow-wrap:anywhere}
pre,code{font-family:ui-monospace,monospace;font-size:.9em}
pre{padding:.75rem;overflow:auto;background:light-dark(#f2f2f2,#222);border-radius:.25rem}
p.help{white-space:pre-line}
`

let policy: string | undefined

/** Renders the page of a service: each method with its signatures, help and an example call. Has no scripts. */
export function servicePage(
  name: string,
  description: string,
  url: string,
  methods: readonly PublishedMethod[],
): Response {
  policy ??= `default-src 'none'; style-src 'sha256-${encodeBase64(sha256(encodeUtf8(STYLE)))}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const sorted = [...methods].sort((a, b) => (a.publicName < b.publicName ? -1 : 1))
  const title = escapeHtml(name.replace(/Controller$/, '') || 'Service')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}: XML-RPC service</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${description === '' ? '' : `<p class="help">${escapeHtml(description)}</p>\n`}<p>This is an XML-RPC service. Clients send their calls to <code>${escapeHtml(withoutQuery(url))}</code>.</p>
<nav aria-label="Methods">
<ul>
${sorted.map(({ publicName }) => `<li><a href="#${idOf(publicName)}">${escapeHtml(publicName)}</a></li>`).join('\n')}
</ul>
</nav>
${sorted.map(section).join('\n')}
</main>
</body>
</html>
`
  return new Response(page, {
    headers: { 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' },
    contentType: 'text/html; charset=utf-8',
  })
}

function section({ publicName, method }: PublishedMethod): string {
  const { signatures, help } = method
  const name = escapeHtml(publicName)
  const forms =
    signatures.length === 0
      ? '<p>This method declares no signature.</p>'
      : `<pre>${signatures.map((signature) => escapeHtml(formatCall(publicName, signature))).join('\n')}</pre>`
  return `<section id="${idOf(publicName)}" aria-label="${name}">
<h2>${name}</h2>
${forms}
${help === '' ? '' : `<p class="help">${escapeHtml(help)}</p>\n`}<details>
<summary>Example call</summary>
<pre>${escapeHtml(exampleCall(publicName, signatures[0]))}</pre>
</details>
</section>`
}

function formatCall(name: string, [returns, ...types]: Signature): string {
  return `${returns} ${name}(${types.join(', ')})`
}

function exampleCall(name: string, signature: Signature | undefined): string {
  const params = (signature?.slice(1) ?? []).map((type) => EXAMPLES[type])
  return encodeCall(name, params, { allowNil: true, i8: true }).replaceAll(
    /(?=<methodName>|<params>|<param>|<\/params>|<\/methodCall>)/g,
    '\n',
  )
}

const EXAMPLES: Readonly<Record<SignatureType, Encodable>> = {
  string: 'text',
  array: ['text', 4],
  boolean: true,
  int: 4,
  i4: 4,
  i8: 4n,
  double: double(0.5),
  struct: { name: 'text' },
  'dateTime.iso8601': new DateTime('19980717T14:08:55'),
  base64: new Binary(encodeUtf8('bytes')),
  nil: null,
}

function idOf(name: string): string {
  return escapeHtml(encodeURIComponent(name))
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}
