/** Makes the response of an action from what its class declares: the schema, the page and the status of its result. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isRead } from '../base/methods.ts'
import { oncePer } from '../base/once-per.ts'
import { isPromise } from '../base/promise.ts'
import { isRecord } from '../base/record.ts'
import { jsonSchemaOf } from '../http/converters/json-schema.ts'
import { HTTPNotAcceptable } from '../http/exceptions.ts'
import { formatInPath, isProgram } from '../http/formats.ts'
import { accepts } from '../http/negotiation.ts'
import { Response } from '../http/response.ts'
import type { RenderOptions } from '../http/templating/engine.ts'
import { type Controller, stateOf } from './call-state.ts'
import { ResultSchemaError } from './controller-errors.ts'
import { type DeclaredResult, UNDECLARED } from './declared-results.ts'
import type { MethodBinding } from './method-binding.ts'
import { Outcome } from './outcome.ts'
import { isValue, jsonResponse } from './responder.ts'
import { templateValues } from './template-values.ts'

/**
 * Converts the result of an action as its class declares it.
 *
 * Text, bytes, streams, responses, applications and undefined are returned as they are.
 *
 * @returns a result that can be sent, as a promise only if a schema or a template is asynchronous.
 * @throws ResultSchemaError - the schema refuses the result.
 * @throws HTTPNotAcceptable - a GET accepts neither the page nor JSON.
 */
export function declaredResponse(controller: Controller, action: MethodBinding, result: unknown): unknown {
  const { result: declared = UNDECLARED } = action
  if (stateOf(controller).started) return result
  if (result instanceof Outcome) {
    const { schema } = declared
    if (schema === undefined) return outcomeResponse(controller, result, declared.status)
    // An action that gives no value may say so by null, as without an outcome.
    const value = schema === null ? (result.value ?? undefined) : result.value
    return answerOutcome(controller, { ...result, value }, declared.status, () =>
      toJson(controller, action, schema, value),
    )
  }
  // Text and responses are sent to any client.
  let representation: Representation | undefined
  if (declared.page !== undefined && isShowable(controller, result)) {
    representation = representationOf(controller, declared)
    if (representation === 'page') {
      setStatus(controller, declared.status ?? statusOfCreate(controller))
      return renderResult(controller, declared.page, result)
    }
  }
  if (declared.schema === null && (result === undefined || result === null)) {
    setStatus(controller, declared.status ?? 204)
    return undefined
  }
  if (!isValue(result)) {
    setStatus(controller, declared.status)
    return result
  }
  representation ??= representationOf(controller, declared)
  if (representation === undefined) throw new HTTPNotAcceptable()
  setStatus(controller, declared.status ?? statusOfCreate(controller))
  return declared.schema === undefined ? result : toJson(controller, action, declared.schema, result)
}

/**
 * Shows the result of a method as the page that the class declares for it, whatever the client prefers.
 *
 * @param status - the status that the response had before the method ran.
 * @returns the result itself if there is no page for it.
 */
export function shownResult(
  controller: Controller,
  action: MethodBinding | undefined,
  result: unknown,
  status: number,
): unknown {
  const page = action?.result?.page
  return page !== undefined && isShowable(controller, result, status)
    ? renderResult(controller, page, result)
    : result
}

/** Returns true for a value that a page shows. Undefined is one, unless the action has written a response itself. */
function isShowable(controller: Controller, result: unknown, status = 200): boolean {
  if (result !== undefined) return isValue(result)
  const { response } = stateOf(controller)
  return response === undefined || (response.status === status && response.body === null)
}

/**
 * Renders a page with the members of the result, and with the result itself as `it.result`. A member does not hide a value
 * that every template has.
 */
export function renderResult(
  controller: Controller,
  page: string,
  result: unknown,
  options?: RenderOptions,
): string | Promise<string> {
  const values: Record<string, unknown> = isRecord(result) ? { ...result } : {}
  for (const name of Object.keys(templateValues(controller.app, stateOf(controller).environ, controller))) {
    if (Object.hasOwn(values, name)) delete values[name]
  }
  values.result = result
  return controller.render(page, values, options)
}

type Representation = 'page' | 'json'

/** Chooses what the client receives: the page if there is one, or JSON. Undefined if it accepts none of them. */
function representationOf(controller: Controller, { page }: DeclaredResult): Representation | undefined {
  const { HTTP_ACCEPT: accept, REQUEST_METHOD: method } = stateOf(controller).environ
  const named = formatOf(controller)
  if (page === undefined && named !== undefined) return 'json'
  if (named === 'html') return 'page'
  if (named === 'json') return 'json'
  const offers = page === undefined ? JSON_TYPES : namesXhtml(accept) ? ALL_TYPES : USUAL_TYPES
  const chosen = accepts(accept, offers)
  if (chosen !== undefined) return JSON_TYPES.includes(chosen) ? 'json' : 'page'
  // The work of an unsafe method cannot be undone, so its result is sent in any case (RFC 9110 §12.5.1).
  return isRead(method) ? undefined : 'json'
}

const JSON_TYPES: readonly string[] = ['application/json']
const USUAL_TYPES: readonly string[] = ['text/html', ...JSON_TYPES]
const ALL_TYPES: readonly string[] = ['text/html', 'application/xhtml+xml', ...JSON_TYPES]

/** A page is text/html, so that only a client that names XHTML receives it in its place: `application/*` means JSON. */
function namesXhtml(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('application/xhtml+xml') === true
}

/** Returns the format that the path or the query names. */
function formatOf(controller: Controller): string | undefined {
  const { environ } = stateOf(controller)
  const format = formatInPath(environ)
  if (typeof format === 'string') return format
  return environ.QUERY_STRING.includes('format=') ? controller.request.query.get('format') : undefined
}

/** Sets the status of the response, unless the action has set another one. */
function setStatus(controller: Controller, status: number | undefined): void {
  if (status === undefined || status === 200) return
  const response = stateOf(controller).ownResponse()
  if (response.status === 200) response.status = status
}

/** Returns 201 for the action `create` of a resource, and undefined for others. */
function statusOfCreate(controller: Controller): number | undefined {
  const { match, action, environ } = stateOf(controller)
  if (action !== 'create' || environ.REQUEST_METHOD !== 'POST' || typeof match.controller !== 'string')
    return undefined
  return controller.app.mapper.resourceActions(match.controller)?.has('create') === true ? 201 : undefined
}

function toJson(
  controller: Controller,
  action: MethodBinding,
  schema: StandardSchemaV1 | null,
  value: unknown,
): Response | Promise<Response> {
  if (schema === null)
    throw new ResultSchemaError(action.label, [{ message: 'The action is declared to give no value.' }])
  const send = (result: StandardSchemaV1.Result<unknown>): Response => {
    if (result.issues !== undefined) throw new ResultSchemaError(action.label, result.issues)
    const json = jsonOf(action.label, result.value, allowsAnything(schema))
    return jsonResponse(json, stateOf(controller).response)
  }
  const result = schema['~standard'].validate(value)
  return isPromise(result) ? result.then(send) : send(result)
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
 * `JSON.stringify` would send null or `{}` in place of some values, or leave all out, and its error for a BigInt has no path.
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

/** Returns true for an object of a class whose content is in no member, such as a Map or a RegExp: JSON would be `{}`. */
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

/** Makes the response of an outcome whose value no schema describes. */
export function outcomeResponse(controller: Controller, outcome: Outcome, status?: number): unknown {
  const { value } = outcome
  return answerOutcome(controller, outcome, status, () =>
    jsonResponse(JSON.stringify(value), stateOf(controller).response),
  )
}

function answerOutcome(
  controller: Controller,
  { kind, location, value }: Outcome,
  status: number | undefined,
  send: () => unknown,
): unknown {
  if (!isProgram(controller.request.environ))
    return new Response(null, { status: 303, headers: { Location: location } })
  const isCreated = kind === 'created'
  if (isCreated) stateOf(controller).ownResponse().headers.set('Location', location)
  const usual = isCreated ? 201 : value === undefined ? 204 : 200
  setStatus(controller, status ?? usual)
  return value === undefined ? undefined : send()
}
