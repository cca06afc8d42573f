/** The page of a service for people. */

import { sha256 } from '@noble/hashes/sha2.js'
import { DEV_STYLE, Html, html, pairs, section, table } from '../../app/error-pages/dev-page.ts'
import { encodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'
import { runCall } from '../../controllers/call.ts'
import { stateOf } from '../../controllers/call-state.ts'
import type { ProcedureDescription } from '../../controllers/describe.ts'
import { type Responder, respond } from '../../controllers/represent.ts'
import { PAGE_STYLE } from '../../http/error-document.ts'
import { Response } from '../../http/response.ts'
import type { Service } from '../controllers/procedures.ts'
import { describeProcedure, describeService } from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { xmlrpcType } from '../controllers/type-table.ts'
import { type Face, respondToFailure } from './face.ts'

/** Answers with the page. Hooks run before and after it. */
export function showPage(request: ServiceRequest, faces: readonly Face[]): Responder | Promise<Responder> {
  return runCall(stateOf(request.controller), {
    run: () => servicePage(request, faces),
    answer: respond,
    answerError: respondToFailure,
  })
}

const STYLE = `${PAGE_STYLE}
${DEV_STYLE}
:root{--accent:var(--link)}h2{overflow-wrap:anywhere}.help{white-space:pre-line}`

let policy: string | undefined

/** Renders the page: each procedure with its signatures and its help. */
function servicePage(request: ServiceRequest, faces: readonly Face[]): Response {
  const { controller, service } = request
  const { title, description, procedures } = describeService(request)
  const [url = ''] = controller.request.url.split('?', 1)
  policy ??= `default-src 'none'; style-src 'sha256-${encodeBase64(sha256(encodeUtf8(STYLE)))}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const system = faces.flatMap((face) =>
    [...(face.systemProcedures?.(service) ?? [])].map((procedure) =>
      describeProcedure(procedure, controller._publish_method_name(procedure.name), false),
    ),
  )
  const published = [...procedures, ...system]
  const links = published.map(({ publicName }) => {
    return html`<li><a href="#${encodeURIComponent(publicName)}">${publicName}</a></li>\n`
  })
  const addresses = faces.map(({ title, path }) => [title, addressOf(url, path)] as const)
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title}</title>
<meta name="description" content="${description.split('\n', 1)[0] || title}">
<style>${new Html(STYLE)}</style></head>
<body>
<header><p class="status">Service</p>
<h1>${title}</h1></header>
<main>
${helpText(description)}${section('Addresses', pairs(addresses))}<nav aria-label="Methods"><h2>Methods</h2><ul>
${links}</ul></nav>
${published.map((procedure) => methodSection(procedure, service))}</main>
</body>
</html>
`
  return new Response(page.toString(), {
    headers: { 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' },
    contentType: 'text/html; charset=utf-8',
  })
}

/** Returns the URL of a face. A document is a link. */
function addressOf(url: string, path: string): Html | string {
  return path.endsWith('.json') ? html`<a href="${url + path}">${url + path}</a>` : url + path
}

function methodSection(description: ProcedureDescription, service: Service): Html {
  const { publicName, help, parameters, isDeprecated } = description
  const described = parameters.filter((parameter) => parameter.description !== '')
  const rows = described.map((parameter) => [html`<code>${parameter.name}</code>`, parameter.description])
  return html`<section id="${encodeURIComponent(publicName)}" aria-label="${publicName}"><h2>${publicName}</h2>
<pre class="text">${callForms(description, service).join('\n')}</pre>
${isDeprecated ? html`<p class="dim">Deprecated</p>\n` : undefined}${helpText(help)}${table(['Parameter', 'Meaning'], rows)}</section>
`
}

function helpText(text: string): Html | undefined {
  return text === '' ? undefined : html`<p class="help">${text}</p>\n`
}

/**
 * Returns the ways to call a procedure: `find(query: string, limit: int): array`, or the names only if no types are
 * declared.
 */
function callForms(
  { name, publicName, parameters: described }: ProcedureDescription,
  { procedures, system }: Service,
): string[] {
  const { signatures = [], parameters } = procedures.get(name) ?? system.get(name) ?? {}
  const labels = described.map(({ name, required }) => (required ? name : `${name}?`))
  const object = parameters?.kind === 'destructured' ? `{ ${labels.join(', ')} }` : undefined
  if (signatures.length === 0) {
    return [`${publicName}(${parameters === undefined ? '…' : (object ?? labels.join(', '))})`]
  }
  const names = object === undefined ? described.map(({ name }) => name) : [object]
  return signatures.map(([returns, ...types]) => {
    const taken = types.map((type, index) => {
      const name = names[index]
      return `${name === undefined ? '' : `${name}: `}${xmlrpcType(type, 'input') ?? 'any'}`
    })
    return `${publicName}(${taken.join(', ')}): ${xmlrpcType(returns, 'output') ?? 'any'}`
  })
}
