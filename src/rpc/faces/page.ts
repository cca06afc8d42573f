/** The page of a service for people. */

import { sha256 } from '@noble/hashes/sha2.js'
import { DEV_STYLE, pairs, section, table } from '../../app/error-pages/dev-page.ts'
import { Html, html } from '../../app/error-pages/html.ts'
import { encodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'
import { runCall } from '../../controllers/lifecycle.ts'
import { type Responder, respond } from '../../controllers/responder.ts'
import { PAGE_STYLE } from '../../http/error-document.ts'
import { Response } from '../../http/response.ts'
import { xmlrpcType } from '../controllers/introspection.ts'
import { describeProcedure, type ProcedureDescription } from '../controllers/procedure-description.ts'
import { describeService } from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { respondToFailure } from './document.ts'
import { type Face, PROCEDURE_PATH } from './face.ts'

/** Answers with the page. Hooks run before and after it. */
export function showPage(request: ServiceRequest, faces: readonly Face[]): Responder | Promise<Responder> {
  return runCall(request.controller, {
    run: () => servicePage(request, faces),
    answer: respond,
    answerError: respondToFailure,
  })
}

/** A procedure, with the faces by which it can be called. */
interface Published {
  readonly description: ProcedureDescription
  readonly faces: readonly Face[]
}

const STYLE = `${PAGE_STYLE}
${DEV_STYLE}
:root{--accent:var(--link)}h2{overflow-wrap:anywhere}.help{white-space:pre-line}
textarea,output{box-sizing:border-box;display:block;width:100%;margin:.6rem 0;padding:.7rem .8rem;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--soft);color:inherit;border:1px solid var(--line);border-radius:.4rem;white-space:pre-wrap}
output:empty{display:none}button{font:inherit;padding:.3rem 1rem}`

/** Sends the body of a form and shows the response. */
const SCRIPT = `addEventListener('submit',async(event)=>{event.preventDefault()
const {dataset:{path,type},elements:{body,answer}}=event.target
try{const response=await fetch(location.pathname.replace(/\\/?$/,()=>path),{method:'POST',headers:{'Content-Type':type},body:body.value})
let text=await response.text()
try{text=JSON.stringify(JSON.parse(text),null,2)}catch{}
answer.value=response.status+' '+response.statusText+'\\n\\n'+text}catch(error){answer.value=error}})`

let policy: string | undefined

/** Renders the page: each procedure with its signatures, help and an example call, which debug mode can send. Production has no scripts. */
function servicePage(request: ServiceRequest, faces: readonly Face[]): Response {
  const { controller, service } = request
  const { title, description, procedures } = describeService(request)
  const [url = ''] = controller.request.url.split('?', 1)
  const nonce = controller.app.showsErrors(controller.request.environ)
    ? crypto.randomUUID().replaceAll('-', '')
    : undefined
  policy ??= `default-src 'none'; style-src 'sha256-${encodeBase64(sha256(encodeUtf8(STYLE)))}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const own = procedures.map((description): Published => ({ description, faces }))
  const system = faces.flatMap((face) =>
    [...(face.systemProcedures?.(service) ?? [])].map((procedure): Published => {
      const publicName = controller._publish_method_name(procedure.name)
      return { description: describeProcedure(procedure, publicName, false), faces: [face] }
    }),
  )
  const published = [...own, ...system]
  const links = published.map(({ description: { publicName } }) => {
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
${published.map((each) => methodSection(each, nonce !== undefined))}</main>
${nonce && html`<script nonce="${nonce}">${new Html(SCRIPT)}</script>\n`}</body>
</html>
`
  const scripts = nonce === undefined ? '' : `; script-src 'nonce-${nonce}'; connect-src 'self'`
  return new Response(page.toString(), {
    headers: { 'Content-Security-Policy': policy + scripts, 'X-Content-Type-Options': 'nosniff' },
    contentType: 'text/html; charset=utf-8',
  })
}

/** Returns the URL of a face. A document is a link. */
function addressOf(url: string, path: string): Html | string {
  return path.endsWith('.json') ? html`<a href="${url + path}">${url + path}</a>` : url + path
}

function methodSection({ description, faces }: Published, canSend: boolean): Html {
  const { publicName, help, parameters, isDeprecated } = description
  const described = parameters.filter((parameter) => parameter.description !== '')
  const rows = described.map((parameter) => [html`<code>${parameter.name}</code>`, parameter.description])
  const examples = faces.map((face) => {
    const example = face.example?.(description)
    if (example === undefined) return html``
    if (!canSend) {
      return html`<details><summary>Example: ${face.title}</summary><pre class="text">${example}</pre></details>\n`
    }
    const path = face.path === PROCEDURE_PATH ? `/${publicName}` : face.path
    const type = example.startsWith('<') ? 'text/xml' : 'application/json'
    return html`<details><summary>Try it: ${face.title}</summary><form data-path="${path}" data-type="${type}">
<textarea name="body" aria-label="Body of the request" rows="${example.split('\n').length}" spellcheck="false">
${example}</textarea><button>Send</button><output name="answer"></output></form></details>\n`
  })
  return html`<section id="${encodeURIComponent(publicName)}" aria-label="${publicName}"><h2>${publicName}</h2>
<pre class="text">${callForms(description).join('\n')}</pre>
${isDeprecated ? html`<p class="dim">Deprecated</p>\n` : undefined}${helpText(help)}${table(['Parameter', 'Meaning'], rows)}
${examples}</section>
`
}

function helpText(text: string): Html | undefined {
  return text === '' ? undefined : html`<p class="help">${text}</p>\n`
}

/** Returns the ways to call a procedure: `find(query: string, limit: int): array`, or the names only if no types are declared. */
function callForms({
  procedure,
  publicName,
  passing,
  parameters: described,
}: ProcedureDescription): string[] {
  const { signatures, parameters } = procedure
  const names =
    passing === 'by-name'
      ? [`{ ${described.map(nameOf).join(', ')} }`]
      : (parameters?.names.map(({ name }) => name) ?? [])
  if (signatures.length === 0) {
    const all = passing === 'either' ? described.map(nameOf) : names
    return [`${publicName}(${passing === 'by-position' ? '…' : all.join(', ')})`]
  }
  return signatures.map(([returns, ...types]) => {
    const taken = types.map((type, index) => {
      const name = names[index]
      return `${name === undefined ? '' : `${name}: `}${xmlrpcType(type, 'input') ?? 'any'}`
    })
    return `${publicName}(${taken.join(', ')}): ${xmlrpcType(returns, 'output') ?? 'any'}`
  })
}

function nameOf({ name, required }: ProcedureDescription['parameters'][number]): string {
  return required ? name : `${name}?`
}
