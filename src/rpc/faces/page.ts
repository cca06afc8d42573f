/** The page of a service for people. */

import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'
import { runCall } from '../../controllers/lifecycle.ts'
import { type Responder, respond } from '../../controllers/responder.ts'
import { escapeHtml } from '../../http/html.ts'
import { Response } from '../../http/response.ts'
import type { DeclaredSignature } from '../controllers/declared-types.ts'
import { xmlrpcType } from '../controllers/introspection.ts'
import type { Procedure } from '../controllers/procedures.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { respondToFailure } from './document.ts'
import type { Face } from './face.ts'

/** Answers with the page. Hooks run before and after it. */
export function showPage(request: ServiceRequest, faces: readonly Face[]): Responder | Promise<Responder> {
  return runCall(request.controller, {
    run: () => servicePage(request, faces),
    answer: respond,
    answerError: respondToFailure,
  })
}

/** A procedure and its public name. */
interface Published {
  readonly publicName: string
  readonly procedure: Procedure
}

const STYLE = `:root{color-scheme:light dark;background:light-dark(#fff,#121212);color:light-dark(#111,#eee)}
a{color:light-dark(#0645ad,#9db7ff)}
body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1,h2{line-height:1.2}
h2{margin-top:2.5rem;overflow-wrap:anywhere}
pre,code{font-family:ui-monospace,monospace;font-size:.9em}
pre{padding:.75rem;overflow:auto;background:light-dark(#f2f2f2,#222);border-radius:.25rem}
p.help{white-space:pre-line}
`

let policy: string | undefined

/** Renders the page: each procedure with its signatures, help and an example call. Has no scripts. */
function servicePage({ controller, settings, service }: ServiceRequest, faces: readonly Face[]): Response {
  const procedures = [
    ...service.procedures.values(),
    ...faces.flatMap((face) => [...(face.systemProcedures?.(service) ?? [])]),
  ]
  const url = escapeHtml(withoutQuery(controller.request.url))
  const { name, description } = settings
  policy ??= `default-src 'none'; style-src 'sha256-${encodeBase64(sha256(encodeUtf8(STYLE)))}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const published = procedures
    .map((procedure) => ({ publicName: controller._publish_method_name(procedure.name), procedure }))
    .sort((a, b) => (a.publicName < b.publicName ? -1 : 1))
  const title = escapeHtml(name.replace(/Controller$/, '') || 'Service')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}: ${faces.map((face) => face.title).join(', ')}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${description === '' ? '' : `<p class="help">${escapeHtml(description)}</p>\n`}<p>Clients use this service by:</p>
<ul>
${faces.map((face) => `<li>${face.title}: <code>${url}${escapeHtml(face.path)}</code></li>`).join('\n')}
</ul>
<nav aria-label="Methods">
<ul>
${published.map(({ publicName }) => `<li><a href="#${idOf(publicName)}">${escapeHtml(publicName)}</a></li>`).join('\n')}
</ul>
</nav>
${published.map((each) => section(each, faces)).join('\n')}
</main>
</body>
</html>
`
  return new Response(page, {
    headers: { 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' },
    contentType: 'text/html; charset=utf-8',
  })
}

function section({ publicName, procedure }: Published, faces: readonly Face[]): string {
  const { signatures, help } = procedure
  const name = escapeHtml(publicName)
  const forms =
    signatures.length === 0
      ? '<p>This method declares no signature.</p>'
      : `<pre>${signatures.map((signature) => escapeHtml(formatCall(publicName, signature))).join('\n')}</pre>`
  const examples = faces
    .map((face) => face.example?.(publicName, signatures[0]))
    .filter((example) => example !== undefined)
    .map(
      (example) => `<details>
<summary>Example call</summary>
<pre>${escapeHtml(example)}</pre>
</details>
`,
    )
  return `<section id="${idOf(publicName)}" aria-label="${name}">
<h2>${name}</h2>
${forms}
${help === '' ? '' : `<p class="help">${escapeHtml(help)}</p>\n`}${examples.join('')}</section>`
}

function formatCall(name: string, [returns, ...types]: DeclaredSignature): string {
  const parameters = types.map((type) => xmlrpcType(type, 'input') ?? 'any')
  return `${xmlrpcType(returns, 'output') ?? 'any'} ${name}(${parameters.join(', ')})`
}

function idOf(name: string): string {
  return escapeHtml(encodeURIComponent(name))
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}
