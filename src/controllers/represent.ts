/**
 * Makes the response of an action from its result: one decision, by what its class declares and what the client
 * accepts, between a redirect, a page, JSON, nothing and the result itself.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isRead } from '../base/methods.ts'
import { oncePer } from '../base/once-per.ts'
import { isPromise } from '../base/promise.ts'
import { isRecord } from '../base/record.ts'
import { isInstance } from '../base/thrown.ts'
import { validateValue } from '../http/converters/converter.ts'
import { jsonSchemaOf } from '../http/converters/json-schema.ts'
import { HTTPException, HTTPNotAcceptable } from '../http/exceptions.ts'
import { FORMATS_KEY, formatInPath, isProgram } from '../http/formats.ts'
import { negotiator } from '../http/negotiation.ts'
import { isWebResponse, Response, type ResponseBody, toGatewayBody } from '../http/response.ts'
import type { RenderOptions } from '../http/templating/engine.ts'
import { hasWSGI } from '../wsgi/application.ts'
import type { Body, Chunk, WSGIApplication } from '../wsgi/types.ts'
import { EXCEPTION_RESPONSE } from './application.ts'
import type { CallState, GeneratorBody, Started } from './call-state.ts'
import { ResultSchemaError, UnusableResultError } from './controller-errors.ts'
import { type DeclaredResult, UNDECLARED } from './declarations.ts'
import type { MethodBinding } from './method-binding.ts'
import { Outcome } from './outcome.ts'
import { templateValues } from './template-values.ts'

/** The form in which a result is sent. */
interface Representation {
  readonly kind: 'redirect' | 'page' | 'json' | 'nothing' | 'itself'
  /** Status of the response, unless the action sets another one. */
  readonly status?: number | undefined
  readonly value?: unknown
  readonly location?: string
}

/**
 * Converts the result of an action as its class declares it.
 *
 * Text, bytes, streams, responses, applications and undefined are returned as they are.
 *
 * @param action - undefined for a result about which no class declares anything.
 * @returns a result that can be sent, as a promise only if a schema or a template is asynchronous.
 * @throws ResultSchemaError - the schema refuses the result.
 * @throws HTTPNotAcceptable - a GET accepts neither the page nor JSON.
 */
export function represent(state: CallState, action: MethodBinding | undefined, result: unknown): unknown {
  const declared = action?.result
  if (state.started !== undefined) return result
  if (declared === undefined && !(result instanceof Outcome)) return result
  const { kind, status, value, location } = decide(state, declared ?? UNDECLARED, result)
  if (kind === 'redirect') return new Response(null, { status: 303, headers: { Location: location ?? '' } })
  if (location !== undefined) state.ownResponse().headers.set('Location', location)
  setStatus(state, status)
  if (kind === 'page') return renderResult(state, declared?.page ?? '', value)
  return kind === 'json' ? toJson(state, action, declared?.schema, value) : value
}

function decide(state: CallState, declared: DeclaredResult, result: unknown): Representation {
  const { schema, page, status } = declared
  if (result instanceof Outcome) return decideOutcome(state, declared, result)
  // Text and responses are sent to any client.
  const isShown = page !== undefined && isShowable(state, result)
  const accepted = isShown ? acceptedBy(state, declared) : undefined
  if (accepted === 'page') return { kind: 'page', status: status ?? statusOfCreate(state), value: result }
  if (schema === null && (result === undefined || result === null)) return { kind: 'nothing', status: status ?? 204 }
  if (!isValue(result)) return { kind: 'itself', status, value: result }
  if ((isShown ? accepted : acceptedBy(state, declared)) === undefined) throw new HTTPNotAcceptable()
  const kind = schema === undefined ? 'itself' : 'json'
  return { kind, status: status ?? statusOfCreate(state), value: result }
}

function decideOutcome(
  state: CallState,
  { schema, status }: DeclaredResult,
  { kind, location, value: given }: Outcome,
): Representation {
  state.isForReader = true
  if (!isProgram(state.environ)) return { kind: 'redirect', location }
  // An action that gives no value may say so by null, as without an outcome.
  const value = schema === null ? (given ?? undefined) : given
  const usual = kind === 'created' ? 201 : value === undefined ? 204 : 200
  return {
    kind: value === undefined ? 'nothing' : 'json',
    status: status ?? usual,
    value,
    ...(kind === 'created' ? { location } : {}),
  }
}

/** Returns true if the response depends on the Accept header, whatever its status (RFC 9110 §12.5.5). */
export function isNegotiated({ isForReader, method, environ }: CallState): boolean {
  if (isForReader || method === undefined) return isForReader
  const { result, takesFormat } = method
  if (takesFormat && Array.isArray(environ[FORMATS_KEY])) return true
  if (result === undefined) return false
  // A client that does not accept the JSON of a GET receives 406.
  return result.page !== undefined || (result.schema !== null && isRead(environ.REQUEST_METHOD))
}

/**
 * Shows the result of a method as the page that the class declares for it, whatever the client prefers.
 *
 * @param status - the status that the response had before the method ran.
 * @returns the result itself if there is no page for it.
 */
export function shownResult(
  state: CallState,
  action: MethodBinding | undefined,
  result: unknown,
  status: number,
): unknown {
  const page = action?.result?.page
  return page !== undefined && isShowable(state, result, status) ? renderResult(state, page, result) : result
}

/** Returns true for a value that a page shows. Undefined is one, unless the action has written a response itself. */
function isShowable(state: CallState, result: unknown, status = 200): boolean {
  if (result !== undefined) return isValue(result)
  const { response } = state
  return response === undefined || (response.status === status && response.body === null)
}

/**
 * Renders a page with the members of the result, and with the result itself as `it.result`. A member does not hide a
 * value that every template has.
 */
export function renderResult(
  state: CallState,
  page: string,
  result: unknown,
  options?: RenderOptions,
): string | Promise<string> {
  const values: Record<string, unknown> = isRecord(result) ? { ...result } : {}
  for (const name of Object.keys(templateValues(state.controller.app, state.environ, state.controller))) {
    if (Object.hasOwn(values, name)) delete values[name]
  }
  values.result = result
  return state.controller.render(page, values, options)
}

/** Chooses what the client receives: the page if there is one, or JSON. Undefined if it accepts none of them. */
function acceptedBy(state: CallState, { page }: DeclaredResult): 'page' | 'json' | undefined {
  const { HTTP_ACCEPT: accept = '', REQUEST_METHOD: method } = state.environ
  const named = formatOf(state)
  if (page === undefined && named !== undefined) return 'json'
  if (named === 'html') return 'page'
  if (named === 'json') return 'json'
  // A page is text/html, so that only a client that names XHTML receives it in its place: `application/*` means JSON.
  const choose =
    page === undefined ? chooseJson : accept.toLowerCase().includes('application/xhtml+xml') ? chooseXhtml : chooseHtml
  const chosen = choose(accept)
  if (chosen !== undefined) return chosen === 'application/json' ? 'json' : 'page'
  // The work of an unsafe method cannot be undone, so its result is sent in any case (RFC 9110 §12.5.1).
  return isRead(method) ? undefined : 'json'
}

const chooseJson = negotiator(['application/json'])
const chooseHtml = negotiator(['text/html', 'application/json'])
const chooseXhtml = negotiator(['text/html', 'application/xhtml+xml', 'application/json'])

/** Returns the format that the path or the query names. */
function formatOf(state: CallState): string | undefined {
  const { environ, match } = state
  const format = typeof match.format === 'string' ? formatInPath(environ) : undefined
  if (typeof format === 'string') return format
  const named = environ.QUERY_STRING.includes('format=') ? state.controller.request.query.get('format') : undefined
  return named === 'html' || named === 'json' ? named : undefined
}

/** Sets the status of the response, unless the action has set another one. */
function setStatus(state: CallState, status: number | undefined): void {
  if (status === undefined || status === 200) return
  const response = state.ownResponse()
  if (response.status === 200) response.status = status
}

/** Returns 201 for the action `create` of a resource, and undefined for others. */
function statusOfCreate(state: CallState): number | undefined {
  const { match, action, environ } = state
  if (action !== 'create' || environ.REQUEST_METHOD !== 'POST' || typeof match.controller !== 'string') return undefined
  return state.controller.app.mapper.resourceActions(match.controller).has('create') ? 201 : undefined
}

function toJson(
  state: CallState,
  action: MethodBinding | undefined,
  schema: StandardSchemaV1 | null | undefined,
  value: unknown,
): Response | Promise<Response> {
  const own = state.response
  const label = action?.label ?? ''
  if (schema === undefined) return withBody(JSON.stringify(value), own, 'application/json')
  if (schema === null) throw new ResultSchemaError(label, [{ message: 'The action is declared to give no value.' }])
  const result = validateValue(schema, value)
  if (!('then' in result)) return sendJson(state, label, schema, result)
  return Promise.resolve(result).then((later) => sendJson(state, label, schema, later))
}

function sendJson(
  state: CallState,
  label: string,
  schema: StandardSchemaV1,
  result: StandardSchemaV1.Result<unknown>,
): Response {
  if (result.issues !== undefined) throw new ResultSchemaError(label, result.issues)
  const text = jsonOf(label, result.value, allowsAnything(schema))
  state.json = text
  state.response = withBody(text, state.response, 'application/json')
  return state.response
}

/** Returns true for a schema with a place for any value, such as a function, which JSON would leave out. */
const allowsAnything = oncePer((schema: StandardSchemaV1): boolean => {
  const described = JSON.stringify(jsonSchemaOf(schema, 'output'))
  return described.includes('{}') || schema['~standard'].vendor === 'arktype'
})

/**
 * Returns the JSON of a converted result.
 *
 * @param isOpen - whether it may have values that only a walk through it finds.
 *
 * `JSON.stringify` would send null or `{}` in place of some values, or leave all out, and its error for a BigInt has
 * no path.
 */
function jsonOf(label: string, value: unknown, isOpen: boolean): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    refuseLost(label, value)
    throw error
  }
  if (isOpen || text?.includes('null') === true || text?.includes('{}') === true) refuseLost(label, value)
  return text ?? refuse(label, value, [])
}

/** @throws ResultSchemaError - JSON cannot express a value within `value`. The error has its path. */
function refuseLost(label: string, value: unknown): void {
  const paths = new Map<unknown, readonly string[]>()
  JSON.stringify(value, function (this: object, key: string, member: unknown) {
    const original: unknown = Reflect.get(this, key)
    const parent = paths.get(this)
    const path = parent === undefined ? [] : [...parent, key]
    const isLost =
      (member === null && original !== null) ||
      typeof member === 'bigint' ||
      (typeof member === 'number' && !Number.isFinite(member)) ||
      (Array.isArray(this) && member === undefined) ||
      typeof member === 'function' ||
      typeof member === 'symbol' ||
      isPromise(member) ||
      isEmptied(member)
    if (isLost) refuse(label, original, path)
    paths.set(member, path)
    return member
  })
}

/**
 * Returns true for an object of a class whose content is in no member, such as a Map or a RegExp: JSON would be `{}`.
 */
function isEmptied(member: unknown): boolean {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return false
  const prototype: unknown = Object.getPrototypeOf(member)
  // The prototype of a plain object, of any realm, has no prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain && Object.keys(member).length === 0
}

function refuse(label: string, lost: unknown, path: readonly string[]): never {
  throw new ResultSchemaError(label, [{ message: `JSON cannot express ${describeValue(lost)}`, path }])
}

/** Makes the responder for the result of an action. Records whether the action forgot its result. */
export function answerAction(state: CallState, result: unknown): Responder {
  state.forgot = result === undefined && state.rendered && state.started === undefined
  // The representation of an outcome about which the class declares nothing is not asynchronous.
  return respond(state, result instanceof Outcome ? represent(state, undefined, result) : result)
}

/**
 * Makes the responder for an action's result and stores a response as the controller's own, for `__after__` to change.
 *
 * @throws UnusableResultError - the result cannot be sent.
 */
export function respond(state: CallState, result: unknown): Responder {
  if (state.started !== undefined) return startedResponder(result, state.started)
  // A declared result is represented already.
  if (result === state.response && result instanceof Response) return result
  if (typeof result === 'object' && isGenerator(result)) state.generator = result
  const responder = toResponder(result, state.response)
  if (responder === undefined) {
    throw new UnusableResultError(`${state.description.name}.${state.action}`, result)
  }
  if (typeof responder === 'function') return responder
  if (responder instanceof HTTPException) return replaceResponse(state, responder)
  // An action may return one Response for many requests, so `__after__` receives a copy of it.
  const isShared = responder === result && state.description.after !== undefined
  const made = isShared ? responder.copy() : responder
  state.response = state.response?.mergeInto(made) ?? made
  return state.response
}

/** Makes the response for an HTTP exception. Throws any other error. */
export function respondToError(state: CallState, error: unknown): Response {
  if (!isInstance(error, HTTPException)) throw error
  if (state.started !== undefined) {
    // The action's own response is replaced, which PEP 3333 allows only with exc_info.
    const start = state.start_response
    state.started = undefined
    state.start_response = (status, headers) => start(status, headers, error)
  }
  return replaceResponse(state, error)
}

/**
 * Adds the headers of the controller's own response to `response`, which takes its place.
 */
export function replaceResponse(state: CallState, response: Response | HTTPException): Response {
  const made =
    response instanceof Response
      ? response
      : state.controller.app[EXCEPTION_RESPONSE](response, state.environ, state.controller)
  state.response = state.response?.mergeInto(made) ?? made
  return state.response
}

/** Returns the application of an action that called `start_response` itself. Its result is the body. */
function startedResponder(result: unknown, { head }: Started): Responder {
  const body = startedBody(result)
  if (head === undefined) return () => body
  return (_environ, start_response) => {
    const write = start_response(head.status, head.headers, head.excInfo)
    for (const chunk of head.chunks) write(chunk)
    return body
  }
}

function startedBody(result: unknown): Body {
  if (result === null || result === undefined) return []
  if (typeof result === 'string' || result instanceof Uint8Array) return [result]
  if (typeof result === 'object' && isStream(result)) return result
  throw new TypeError('An action that calls start_response must return the body: an iterable of strings and bytes.')
}

/** Names of the objects that `function*` and `async function*` return. */
const TAGS: ReadonlySet<unknown> = new Set(['Generator', 'AsyncGenerator'])

/** Returns true for a generator, and false for any other iterable. */
export function isGenerator(result: unknown): result is GeneratorBody {
  return typeof result === 'object' && result !== null && TAGS.has(Reflect.get(result, Symbol.toStringTag))
}

/** The object that answers a request: a response, or an application that makes one. */
export type Responder = Response | WSGIApplication

/**
 * Makes a responder from an action's result.
 *
 * @param own - the controller's own response. Its headers, its cookies and what was written to it are part of the
 *   result.
 * @returns undefined for values that cannot be sent: numbers, booleans, dates, and errors that were returned.
 */
export function toResponder(result: unknown, own: Response | undefined): Responder | HTTPException | undefined {
  if (typeof result === 'string' || result instanceof Uint8Array) return withBody(result, own)
  if (result === null || result === undefined) return own ?? new Response()
  if (typeof result === 'function') return result as WSGIApplication
  if (typeof result !== 'object') return undefined
  if (!isLiteral(result)) {
    if (result instanceof Response || result instanceof HTTPException) return result
    if (result instanceof Error || result instanceof Date) return undefined
    if (isWebResponse(result)) return Response.from(result)
    if (result instanceof Blob) return withBody(result, own)
    // JSON would lose the bytes: an ArrayBuffer has none, and a view becomes an object of numbers.
    if (result instanceof ArrayBuffer) return withBody(new Uint8Array(result), own)
    if (ArrayBuffer.isView(result)) return withBody(bytesOf(result), own)
  }
  if (hasWSGI(result)) return result.wsgi
  if (!Array.isArray(result) && isStream(result)) return withBody(result, own)
  return withBody(JSON.stringify(result), own, 'application/json')
}

/**
 * Returns true for a value that a schema describes, and false for text, bytes, streams, responses, applications and
 * undefined.
 */
export function isValue(result: unknown): boolean {
  if (typeof result === 'string' || typeof result === 'function' || result === undefined) return false
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return true
  if (isLiteral(result)) return !hasWSGI(result) && !isStream(result)
  if (isInstance(result, Error) || hasWSGI(result)) return false
  if (result instanceof Response || isWebResponse(result) || result instanceof Blob) return false
  return !(result instanceof ArrayBuffer) && !ArrayBuffer.isView(result) && !isStream(result)
}

/** Returns true for object and array literals, which need none of the `instanceof` checks. */
function isLiteral(result: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(result)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function withBody(body: string | Uint8Array | Blob | Body, own: Response | undefined, contentType?: string): Response {
  if (own === undefined) return new Response(body, contentType === undefined ? undefined : { contentType })
  if (contentType !== undefined && !own.headers.has('content-type')) own.contentType = contentType
  if (typeof body === 'string' || body instanceof Uint8Array) own.write(body)
  else own.body = own.body === null ? body : concatenated(own.body, body)
  return own
}

/** Yields what was written to the response before what the action returned. */
async function* concatenated(written: ResponseBody, rest: ResponseBody): AsyncGenerator<Chunk> {
  yield* toGatewayBody(written)
  yield* toGatewayBody(rest)
}

function isStream(result: object): result is Body {
  return Symbol.asyncIterator in result || Symbol.iterator in result
}
