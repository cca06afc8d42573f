/**
 * The page for an unexpected error in debug mode.
 *
 * @module
 */

import { withoutCode } from '../../base/error-code.ts'
import { shownPlaces } from '../../base/place.ts'
import { errorText, memberOf, toInspectable, withCauses } from '../../base/thrown.ts'
import { REQUEST_ARGUMENTS } from '../../controllers/supplied-arguments.ts'
import { errorMediaTypeFor } from '../../http/formats.ts'
import { HTTPException } from '../../http/http-exception.ts'
import { problemForm } from '../../http/problems.ts'
import type { Response } from '../../http/response.ts'
import { TemplateError } from '../../http/templating/engine.ts'
import type { Environ, WSGIApplication } from '../../wsgi/types.ts'
import { missingTableHint } from '../error-reports.ts'
import {
  DEV_HEADERS,
  devResponse,
  type Html,
  html,
  masked,
  pairs,
  requestSection,
  section,
  sourceBlock,
} from './dev-page.ts'
import { excerptAt, type Frame, framesOf, type Place, placeText } from './source.ts'

/** The route of a request, for the page of an error that occurred behind it. */
export interface RoutedRequest {
  /** Name and path. */
  readonly route: string
  /** `file:line:column`, if known. */
  readonly definedAt: string | undefined
  readonly match: Readonly<Record<string, string | null>>
  /** `UsersController.show`; undefined if the match leads to no action. */
  readonly action: string | undefined
  /** Names of the arguments that the action takes. */
  readonly parameters: readonly string[]
}

/** Creates the page for an unexpected error: HTML for browsers, otherwise a problem document or text. */
export function debugErrorPage(thrown: unknown, environ: Environ, routed: RoutedRequest | undefined): WSGIApplication {
  const error = toInspectable(thrown)
  const status = statusOf(error)
  const type = errorMediaTypeFor(environ)
  if (type === 'text/html') return htmlPage(error, status, environ, routed).wsgi
  const hasForm = problemForm(environ) !== undefined
  const stack = errorText(error)
  const { line, kind } = summaryOf(error)
  const excerpt = error instanceof TemplateError ? error.excerpt : ''
  const short = [kind === undefined ? line : `${kind}: ${line}`, missingTableHint(error)]
  const parts = type === 'text/plain' && !hasForm ? [missingTableHint(error), stack, excerpt] : short
  const json = { stack: stack.split('\n'), route: routed?.route, action: routed?.action }
  const detail = parts.filter(Boolean).join('\n')
  return new HTTPException(status, detail, DEV_HEADERS, hasForm ? {} : { json }).wsgi
}

/** Returns the `status` of an error that has one, as ActionNotFound does, or 500. */
function statusOf(error: unknown): number {
  const status = Number(memberOf(error, 'status'))
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500
}

function htmlPage(error: unknown, status: number, environ: Environ, routed: RoutedRequest | undefined): Response {
  const { heading, kind } = summaryOf(error)
  const source = innermost(error)
  const frames = framesOf(source)
  return devResponse({
    status,
    heading,
    kind,
    sections: [
      textBlock(missingTableHint(error) ?? ''),
      detailsOf(error),
      section('Source', sourceOf(error, frames)),
      // The message says all about a route without an action.
      status < 500 && !frames.some(isOfApplication) ? undefined : section('Stack', stackOf(frames)),
      ...withCauses(source)
        .slice(1)
        .map((cause) => causeSection(toInspectable(cause), source instanceof TemplateError)),
      routed && routeSection(routed),
      routed && section('Arguments', argumentPairs(routed)),
      requestSection(environ),
    ],
  })
}

/**
 * Returns the error that a template has thrown, whose frames lead into the functions that it calls, if its message
 * says no more.
 */
function innermost(error: unknown): unknown {
  if (!(error instanceof TemplateError && error.cause instanceof Error)) return error
  return summaryOf(error).line === summaryOf(error.cause).line ? error.cause : error
}

function causeSection(cause: unknown, isInTemplate: boolean): Html | undefined {
  const { heading, kind } = summaryOf(cause)
  const frames = framesOf(cause)
  // The source of a template is already shown, and the first frame of its cause is the call of render().
  const source = isInTemplate ? undefined : sourceOf(cause, frames)
  return section(
    `Caused by ${kind === undefined ? heading : `${kind}: ${heading}`}`,
    html`${detailsOf(cause)}${source}${stackOf(frames)}`,
  )
}

function textBlock(text: string): Html | undefined {
  if (text === '') return undefined
  return text.includes('\n') ? html`<pre class="text">${text}</pre>\n` : html`<p>${text}</p>\n`
}

interface Summary {
  /** The first line of the message. */
  readonly line: string
  /** The first line, or the first sentence of a long line. */
  readonly heading: string
  readonly kind: string | undefined
  /** The rest of the message. */
  readonly details: string
  /** The code at the end of the message, if there is one. */
  readonly code: string | undefined
}

function summaryOf(error: unknown): Summary {
  if (!(error instanceof Error)) {
    const [line = ''] = errorText(error).trim().split(LINE_BREAK, 1)
    return { line, heading: line, kind: undefined, details: '', code: undefined }
  }
  // The place in the message is shown with the source.
  const message = shownPlaces(error instanceof TemplateError ? error.reason : error.message)
  const code = memberOf(error, 'code')
  const explained = withoutCode(message.trimEnd(), code)
  const text = (explained ?? message).trim()
  const [line = ''] = text.split(LINE_BREAK, 1)
  const heading = (line.length > LONG_LINE && /^.+?[.;?!](?=\s+\S)/.exec(line)?.[0]) || line
  const details = text.slice(heading.length).trim()
  return {
    line: line || error.name,
    heading: heading.replace(/[.;]$/, '') || error.name,
    kind: error.name,
    details: details.replace(/^fix: /, ''),
    code: explained === undefined ? undefined : String(code),
  }
}

const LINE_BREAK = /\r\n|\n|\r/

/** The page that explains the codes, in an application. */
const ERROR_CODES = 'node_modules/propylon/docs/reference/error-codes.md'

/** Length from which the first sentence of a line is its heading. */
const LONG_LINE = 80

/** Returns the rest of a message, and the page that explains its code. */
function detailsOf(error: unknown): Html {
  const { details, code } = summaryOf(error)
  const explanation = code && html`<p class="dim"><code>${code}</code> in <code>${ERROR_CODES}</code></p>`
  return html`${textBlock(details)}${explanation || undefined}`
}

function sourceOf(error: unknown, frames: readonly Frame[]): Html | undefined {
  if (error instanceof TemplateError) {
    const { file, line, column } = error
    if (error.excerpt === '') return undefined
    return html`${placeLine({ path: file, line, column })}${sourceBlock(error.excerpt)}`
  }
  const first = frames.find(isOfApplication)
  if (first === undefined) return undefined
  const excerpt = excerptAt(first.place)
  return excerpt === '' ? undefined : html`${placeLine(first.place)}${sourceBlock(excerpt)}`
}

function placeLine(place: Place): Html {
  return html`<p class="path">${placeText(place)}</p>`
}

/** All frames of the application with their source. Frames of packages and the runtime are folded behind them. */
function stackOf(frames: readonly Frame[]): Html | undefined {
  if (frames.length === 0) return undefined
  const own = frames.filter(isOfApplication).map(applicationFrame)
  const others = frames.filter((frame) => !isOfApplication(frame))
  const label = `${others.length} ${others.length === 1 ? 'frame' : 'frames'} of packages and the runtime`
  const lines = others.map((each) => html`<li>${frameLine(each)}</li>\n`)
  const folded = html`<li class="dim"><details><summary>${label}</summary><ol>${lines}</ol></details></li>\n`
  return html`<ol class="stack">${own}${others.length === 0 ? undefined : folded}</ol>`
}

function isOfApplication({ owner }: Frame): boolean {
  return owner === 'application'
}

function applicationFrame(frame: Frame): Html {
  const excerpt = excerptAt(frame.place)
  if (excerpt === '') return html`<li>${frameLine(frame)}</li>\n`
  return html`<li><details><summary>${frameLine(frame)}</summary>${sourceBlock(excerpt)}</details></li>\n`
}

function frameLine({ name, place }: Frame): Html {
  // A function without a name, or the top level of a module.
  const label = name === '' ? undefined : html`<code>${name}</code> `
  return html`${label}<span class="path dim">${placeText(place)}</span>`
}

function routeSection({ route, definedAt, match, action }: RoutedRequest): Html | undefined {
  return section(
    'Route',
    pairs([
      ['Route', route],
      ...(definedAt === undefined ? [] : [['Defined at', shownPlaces(definedAt)] as const]),
      ...(action === undefined ? [] : [['Action', action] as const]),
      ...Object.entries(match).map(([name, value]) => [name, matchValue(name, value)] as const),
    ]),
  )
}

function argumentPairs({ match, parameters }: RoutedRequest): Html | undefined {
  return pairs(
    parameters.map((name) => {
      const value = name in match ? match[name] : undefined
      return [name, REQUEST_ARGUMENTS.has(name) ? 'from the request' : matchValue(name, value)] as const
    }),
  )
}

function matchValue(name: string, value: string | null | undefined): string {
  // A null value counts as missing, so that the default of the parameter applies.
  return typeof value === 'string' ? JSON.stringify(masked(name, value)) : 'undefined'
}
