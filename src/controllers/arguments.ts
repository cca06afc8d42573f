/**
 * The arguments of one call of a method: values of the match and of the query, converted as `static args` declares,
 * the body, and whatever `_get_method_args` supplies.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isPromise, promised } from '../base/promise.ts'
import { emptyObject } from '../base/record.ts'
import { schemaName, validateText, validateValue } from '../http/converters/converter.ts'
import { HTTPBadRequest, HTTPNotFound } from '../http/exceptions.ts'
import { issueMessage, textIssue } from '../http/languages/translation.ts'
import { itemsOf } from '../http/query.ts'
import { Request } from '../http/request.ts'
import { decodeMarked } from '../routing/percent.ts'
import { cancellationOf } from '../wsgi/environ.ts'
import type { Environ } from '../wsgi/types.ts'
import { type CallState, type Controller, stateOf } from './call-state.ts'
import type { BodyParameter, Converters } from './declarations.ts'
import type { ControllerDescription } from './describe.ts'
import type { MethodBinding, NamedArguments } from './method-binding.ts'
import { checkParameterNames } from './parameter-names.ts'
import type { Parameter } from './parameters.ts'

/** Key in the environ for the {@link GivenArguments} of a call. */
export const GIVEN_KEY = 'propylon.arguments'

/** The arguments of a call that is not made of text, such as a tool's. */
export class GivenArguments {
  /** Of the class that is called. Another one that serves the same request reads its own path and query. */
  readonly description: ControllerDescription
  readonly values: Readonly<Record<string, unknown>>

  constructor(description: ControllerDescription, values: Readonly<Record<string, unknown>>) {
    this.description = description
    this.values = values
  }
}

type Call = (state: CallState, binding: MethodBinding, error: unknown, isOverridden: boolean) => unknown

/** Calls of a method with its arguments, by the sources of the arguments, which are known since its class was read. */
const CALL: Readonly<Record<MethodBinding['takes'], Call>> = {
  match(state, binding) {
    const { match, controller } = state
    if (!binding.checked) checkParameterNames(binding, match, controller)
    const { method, parameters } = binding
    const { names } = parameters
    if (parameters.kind === 'destructured') return method.call(controller, picked(names, present(match)))
    // Most methods have one parameter or none, for which an array of arguments would cost more than the call itself.
    const [first, second] = names
    if (first === undefined) return method.call(controller)
    if (second === undefined) return method.call(controller, match[first.name] ?? undefined)
    return method.apply(
      controller,
      names.map(({ name }) => match[name] ?? undefined),
    )
  },
  request(state, binding, error) {
    const args = state.controller._get_method_args()
    if (!isPromise(args)) return invoke(state, binding, offeredBy(state, binding, args, error))
    return Promise.resolve(args).then((settled) => invoke(state, binding, offeredBy(state, binding, settled, error)))
  },
  declared(state, binding, error, isOverridden) {
    const { converters } = binding
    const isMatch = binding.usesMatchOnly && !isOverridden
    const values = convertedValues(state, binding)
    const isConverted = values !== NO_VALUES || converters === undefined || converters.size === 0
    if (isMatch && binding.checked && isConverted) return invokeConverted(state, binding, values)
    const args = isMatch ? state.match : state.controller._get_method_args()
    const converted = isConverted ? undefined : convertArguments(state, binding, converters)
    const run = (settled: unknown): unknown =>
      invoke(state, binding, withDeclared(state, binding, offeredBy(state, binding, settled, error)))
    if (converted === undefined && (isMatch || !isPromise(args))) return run(args)
    return Promise.all([args, converted]).then(([settled]) => run(settled))
  },
}

/**
 * Calls a method of a controller with the arguments that its parameters name.
 *
 * @param error - value of the argument `error`.
 */
export function callMethod(state: CallState, binding: MethodBinding, error?: unknown): unknown {
  const { controller, description } = state
  // The method of a controller may be a field of the instance.
  const isOverridden = controller._get_method_args !== description.defaultMethodArguments
  const takes = isOverridden && binding.takes === 'match' ? 'request' : binding.takes
  const result = CALL[takes](state, binding, error, isOverridden)
  return typeof result === 'object' ? promised(result) : result
}

/**
 * Calls a method of the application's own classes by name. It may be private, and receives its own arguments.
 *
 * @param user - the function that names the method, for the error.
 * @throws TypeError - there is no such method.
 */
export function callNamed(controller: Controller, name: string, user: string): unknown {
  const state = stateOf(controller)
  const { description } = state
  const method = description.method(name)
  if (method !== undefined) return callMethod(state, method)
  throw new TypeError(`${user}: ${description.name} has no method "${name}". Define it, or correct the name.`)
}

/** Calls a method whose arguments are converted, or values of the match, or the body. */
function invokeConverted(state: CallState, binding: MethodBinding, converted: NamedArguments): unknown {
  const { match, controller } = state
  const { method, parameters, body } = binding
  const list = parameters.names.map(({ name }) => {
    if (name in converted) return converted[name]
    return name === body?.name ? bodyFor(state, body) : (match[name] ?? undefined)
  })
  if (parameters.kind === 'positional') return method.apply(controller, list)
  const args: NamedArguments = Object.create(null)
  for (const [index, { name }] of parameters.names.entries()) args[name] = list[index]
  return method.call(controller, args)
}

/**
 * Returns the converted body. Undefined if the action of the request does not take it, or shows an invalid form
 * again.
 */
function bodyFor({ body }: CallState, { declaration }: BodyParameter): unknown {
  return body?.declaration === declaration ? body.value : undefined
}

/** Adds the converted arguments and the body. A value that `_get_method_args` replaces or adds is passed as it is. */
function withDeclared(state: CallState, binding: MethodBinding, offered: NamedArguments): NamedArguments {
  const { match } = state
  const { body } = binding
  const values = convertedValues(state, binding)
  for (const name in values) {
    if (offered[name] === (match[name] ?? undefined)) offered[name] = values[name]
  }
  if (body !== undefined) offered[body.name] = bodyFor(state, body)
  return offered
}

function invoke({ controller }: CallState, binding: MethodBinding, offered: NamedArguments): unknown {
  if (!binding.checked) checkParameterNames(binding, offered, controller)
  const { method, parameters } = binding
  const { names } = parameters
  if (parameters.kind === 'destructured')
    return method.call(controller, parameters.rest ? offered : picked(names, offered))
  return method.apply(
    controller,
    names.map(({ name }) => offered[name]),
  )
}

/**
 * Returns a copy of the result of `_get_method_args` in which null is undefined, so that defaults apply, with the
 * arguments `error` and `signal`.
 *
 * @throws TypeError - the result is not an object.
 */
function offeredBy(state: CallState, { takesSignal }: MethodBinding, args: unknown, error: unknown): NamedArguments {
  if (typeof args !== 'object' || args === null) {
    const shown = args === null ? 'null' : typeof args
    throw new TypeError(
      `${state.controller.constructor.name}._get_method_args() returned ${shown}. Return an object of arguments by name.`,
    )
  }
  const offered = present(args)
  if (error !== undefined) offered.error = error
  // Created only for those that take it. A value of the match or of a call has precedence.
  if (takesSignal) offered.signal ??= cancellationOf(state.environ).signal
  return offered
}

/** Returns the named arguments. Those that are missing are undefined. */
function picked(names: readonly Parameter[], offered: NamedArguments): NamedArguments {
  const object: NamedArguments = Object.create(null)
  for (const { name } of names) object[name] = offered[name]
  return object
}

/** Returns a copy in which null is undefined. */
function present(args: object): NamedArguments {
  const object: NamedArguments = Object.assign(Object.create(null), args)
  for (const name in object) if (object[name] === null) object[name] = undefined
  return object
}

const NO_VALUES: NamedArguments = Object.freeze(emptyObject())

function convertedValues({ converted }: CallState, binding: MethodBinding): NamedArguments {
  for (let one = converted; one !== undefined; one = one.earlier) if (one.method === binding) return one.values
  return NO_VALUES
}

/**
 * Converts the arguments of a method that have converters.
 *
 * @returns a promise only if a schema is asynchronous.
 * @throws HTTPNotFound - a value of the match is refused.
 * @throws HTTPBadRequest - values of the query are refused.
 */
export function convertArguments(
  state: CallState,
  binding: MethodBinding,
  converters: Converters,
): Promise<void> | undefined {
  const { match, environ, controller } = state
  const given = environ[GIVEN_KEY] === undefined ? undefined : givenTo(state, converters)
  const values = convertValues(binding.label, converters, { match, given, environ, controller })
  if (values instanceof Promise) return values.then((settled) => keepConverted(state, binding, settled))
  keepConverted(state, binding, values)
  return undefined
}

function keepConverted(state: CallState, method: MethodBinding, values: NamedArguments): void {
  state.converted = { method, values, earlier: state.converted }
}

/**
 * Returns the values of a call which are described by converters. A hook with another schema reads the request that
 * is made of them.
 */
function givenTo({ environ, description, method }: CallState, converters: Converters): ArgumentSource['given'] {
  const { [GIVEN_KEY]: call } = environ
  if (!(call instanceof GivenArguments) || call.description !== description) return undefined
  const described = method?.converters
  if (described === converters) return call.values
  return Object.fromEntries(
    Object.entries(call.values).filter(([name]) => described?.get(name) === converters.get(name)),
  )
}

/** The values of a request that arguments are made of. */
export interface ArgumentSource {
  /** Values of the match. Null counts as missing. */
  readonly match: NamedArguments
  /**
   * Values of a call that is not made of text, such as a tool's. The path and the query of its request are made of
   * them.
   */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  /** The environ. Its query has the arguments that the match lacks. */
  readonly environ: Environ
  /** Its application says whether a 404 may tell why the path does not convert. Undefined without a path. */
  readonly controller?: Controller
}

/** An argument of the query that was refused, in the problem document of the 400. */
export interface ArgumentError {
  readonly name: string
  readonly detail: string
}

interface Argument {
  readonly name: string
  readonly schema: StandardSchemaV1
  /** Whether it comes from the match. Otherwise it comes from the query. */
  readonly isInPath: boolean
  readonly value: unknown
  /** Whether the value has its JSON type. Otherwise it is text, or several texts. */
  readonly isGiven: boolean
}

type Result = StandardSchemaV1.Result<unknown>

/** The arguments of a call, as far as they are converted. */
class Conversion {
  readonly #values: NamedArguments = Object.create(NO_VALUES)
  #refused: Map<string, readonly [argument: Argument, issues: readonly StandardSchemaV1.Issue[]]> | undefined

  take(argument: Argument, result: Result): void {
    if (result.issues === undefined) this.#values[argument.name] = result.value
    else {
      this.#refused ??= new Map()
      this.#refused.set(argument.name, [argument, result.issues])
    }
  }

  /**
   * Returns the values, or throws the error for the arguments that were refused.
   *
   * @param names - in the order of the errors.
   */
  end(label: string, names: Iterable<string>, source: ArgumentSource): NamedArguments {
    if (this.#refused === undefined) return this.#values
    const errors: ArgumentError[] = []
    for (const name of names) {
      const [argument, issues = []] = this.#refused.get(name) ?? []
      if (argument?.isInPath) throw notFound(label, argument, issues, source)
      for (const issue of issues) errors.push({ name, detail: issueMessage(issue, source.environ) })
    }
    const detail = errors.map((error) => `${error.name}: ${error.detail}`).join('; ')
    throw new HTTPBadRequest(detail, undefined, { json: { errors } })
  }
}

/**
 * Converts the arguments of a method. An argument comes from the match, or from the query if the match lacks it.
 *
 * @param label - class and method for messages.
 * @returns the converted values by name, as a promise only if a schema is asynchronous.
 * @throws HTTPNotFound - a value of the match is refused.
 * @throws HTTPBadRequest - values of the query are refused. Its problem document lists them as `errors`.
 */
export function convertValues(
  label: string,
  converters: Converters,
  source: ArgumentSource,
): NamedArguments | Promise<NamedArguments> {
  const conversion = new Conversion()
  let later: Promise<void>[] | undefined
  for (const [name, schema] of converters) {
    const argument = argumentOf(name, schema, source)
    const result = validate(argument)
    if ('then' in result) {
      later ??= []
      later.push(Promise.resolve(result).then((settled) => conversion.take(argument, settled)))
    } else conversion.take(argument, result)
  }
  const end = () => conversion.end(label, converters.keys(), source)
  return later === undefined ? end() : Promise.all(later).then(end)
}

function argumentOf(name: string, schema: StandardSchemaV1, source: ArgumentSource): Argument {
  const { match, given, environ } = source
  const matched = match[name] ?? undefined
  const isInPath = matched !== undefined
  if (given !== undefined && Object.hasOwn(given, name)) {
    return { name, schema, isInPath, value: given[name], isGiven: true }
  }
  if (isInPath) {
    const { [MARKED_KEY]: marked } = environ
    const value = marked instanceof Map && isRepeatable(schema) ? itemsInPath(marked.get(name), matched) : matched
    return { name, schema, isInPath, value, isGiven: false }
  }
  const texts = Request.of(environ).query.getAll(name)
  const isSingle = texts.length === 1
  const value =
    isSingle && isRepeatable(schema) ? itemsOf(environ.QUERY_STRING, name) : texts.length > 1 ? texts : texts[0]
  return { name, schema, isInPath, value, isGiven: false }
}

/** Key in the environ for the marked values of the path, if one of its commas is percent-encoded. */
export const MARKED_KEY = 'propylon.marked'

/** Returns the items of a list in the path. A comma that is percent-encoded is part of an item. */
function itemsInPath(text: unknown, value: unknown): unknown {
  // A hook may have replaced the value.
  if (typeof text !== 'string' || decodeMarked(text) !== value) return value
  return text.split(',').map(decodeMarked)
}

function isRepeatable(schema: StandardSchemaV1): boolean {
  return 'repeatable' in schema && schema.repeatable === true
}

function validate({ schema, isInPath, value, isGiven }: Argument): Result | Promise<Result> {
  if (isGiven) return validateValue(schema, value)
  // Taking one of several values would leave the other unnoticed: of a checkbox and its hidden field, for instance.
  if (!isInPath && Array.isArray(value) && !isRepeatable(schema)) {
    return { issues: [textIssue('propylon.value.repeated', { count: value.length })] }
  }
  return validateText(schema, value)
}

function notFound(
  label: string,
  { name, schema, value }: Argument,
  issues: readonly StandardSchemaV1.Issue[],
  { controller, environ }: ArgumentSource,
): HTTPNotFound {
  if (controller?.app.showsErrors(environ) !== true) return new HTTPNotFound()
  const reasons = issues.map(({ message }) => message).join('; ')
  return new HTTPNotFound(
    `${label} takes "${name}" as ${schemaName(schema)}. The path has ${describeValue(value)}: ${reasons}.`,
  )
}
