/** Templates as prompts (server features, "Prompts"), and the completion of arguments ("Completion"). */
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import { APPLICATION_KEY, type Application } from '../../controllers/application.ts'
import { callMethod, convertValues } from '../../controllers/arguments.ts'
import { ActionProtocol, PROTOCOL_KEY, type Steps } from '../../controllers/call.ts'
import type { CallState } from '../../controllers/call-state.ts'
import { type Converters, declaredArguments } from '../../controllers/declarations.ts'
import type { ArgumentDescription } from '../../controllers/describe.ts'
import { isValue, renderResult } from '../../controllers/represent.ts'
import { jsonSchemasOf } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import { queryOf } from '../../routing/url-path.ts'
import type { Chunk, Environ, WSGIApplication } from '../../wsgi/types.ts'
import { proseOf } from '../openapi/texts.ts'
import { ArgumentsError, pathFor } from './action-tools.ts'
import { contentBlocks, jsonIn, type MCPAnswer, textBlock } from './answers.ts'
import type { Catalogue, ExposedPrompt } from './catalogue.ts'
import { type InnerRequests, requiredBody } from './inner-requests.ts'
import { invalidParams, JSONRPCError, JSONRPCErrorCode } from './jsonrpc.ts'
import type { MCPCall } from './protocol.ts'
import { uriOf } from './resources.ts'
import type { ToolArguments } from './tool.ts'

/** Key in the environ for the prompt that a request renders. */
const PROMPT_KEY = 'propylon.prompt'

/** Describes a prompt for a list. */
export function promptOf(prompt: ExposedPrompt) {
  const { name, method, action } = prompt
  const words = method.replaceAll('_', ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  const args = argumentsOf(prompt).map(({ name, description, required }) => ({
    name,
    description: description || undefined,
    required,
  }))
  return { name, title, description: proseOf(action?.help ?? '') || title, arguments: args }
}

/** Returns the arguments: of the method, or those that `static args` declares for the template. */
function argumentsOf({ action, controllerClass, method }: ExposedPrompt): readonly ArgumentDescription[] {
  if (action !== undefined) return action.parameters
  return [...convertersOf(controllerClass, method)].map(([name, schema]) => ({
    name,
    schema,
    required: !acceptsNothing(schema),
    description: '',
  }))
}

function convertersOf(controllerClass: ExposedPrompt['controllerClass'], method: string): Converters {
  const declared = declaredArguments(controllerClass, method)
  return declared?.kind === 'converters' ? declared.converters : new Map()
}

/** Answers `prompts/get`. Middleware sees the path of the method, or `/CONTROLLER/NAME` if no route leads to it. */
export function* getPrompt(inner: InnerRequests, { prompts }: Catalogue, call: MCPCall): Steps<MCPAnswer> {
  const { name, arguments: given = {} } = call.params
  if (typeof name !== 'string') throw invalidParams('"name" must be a string')
  const fail = (text: string) => new JSONRPCError(JSONRPCErrorCode.invalidParams, text)
  const prompt = prompts.get(name)
  if (prompt === undefined) throw fail(`Unknown prompt: ${name.slice(0, 100)}`)
  if (!isRecord(given)) throw invalidParams('"arguments" must be an object')
  checkArguments(prompt, given)
  const lists = (text: string) => text.replaceAll('%2C', ',')
  const { controller, method, controllerClass, operation } = prompt
  const converters = convertersOf(controllerClass, method)
  const values = Object.entries(given)
  const queried = Object.fromEntries(values.filter(([name]) => converters.has(name)))
  const matched = Object.fromEntries(values.filter(([name]) => !converters.has(name)))
  const request = { method: 'GET', path: lists(pathOf(prompt, given)), query: lists(queryOf(queried)) }
  const environ = inner.environOf(request)
  // The requirements and conditions of routes hold for prompts as well.
  if (operation !== undefined && inner.placeOf(environ, request.path) !== `${controller} ${method}`) {
    throw invalidParams(`404 Not Found: ${request.path} is not ${name}`)
  }
  environ[PROMPT_KEY] = new PromptCall(prompt, { ...matched, controller, action: method })
  const response = yield* inner.run(environ, controllerClass)
  const { status, statusLine } = response
  if (status >= 400) {
    return yield* inner.refusal(call, response, (text) => ({ kind: 'error', error: fail(text) }))
  }
  const body = yield* requiredBody(response)
  if (status !== 200) throw fail(statusLine)
  const { description } = promptOf(prompt)
  return { kind: 'result', json: JSON.stringify({ description, messages: messagesIn(body.content) }) }
}

/** @throws JSONRPCError - -32602: an argument is missing, unknown, or not text. */
function checkArguments(prompt: ExposedPrompt, given: ToolArguments): void {
  const known = argumentsOf(prompt)
  for (const [name, value] of Object.entries(given)) {
    if (!known.some((each) => each.name === name)) {
      throw invalidParams(`${prompt.name}: there is no argument ${JSON.stringify(name.slice(0, 100))}`)
    }
    if (typeof value !== 'string') throw invalidParams(`${prompt.name}: "${name}" must be a string`)
  }
  const missing = known.filter(({ name, required }) => required && given[name] === undefined)
  if (missing.length === 0) return
  throw invalidParams(`${prompt.name}: ${missing.map(({ name }) => `"${name}"`).join(', ')} missing`)
}

/** @throws JSONRPCError - -32602: the route of the method does not take the values. */
function pathOf({ operation, controller, method }: ExposedPrompt, values: ToolArguments): string {
  if (operation === undefined) return `/${controller}/${method}`
  try {
    return pathFor(operation, values)
  } catch (error) {
    throw isInstance(error, ArgumentsError) ? invalidParams(error.message) : error
  }
}

/** @throws TypeError - the method of the prompt answered with something else than messages. */
function messagesIn(content: Chunk): unknown[] {
  const value = jsonIn(typeof content === 'string' ? content : new TextDecoder().decode(content))?.value
  if (isRecord(value) && Array.isArray(value.messages)) return value.messages
  throw new TypeError('The method of a prompt must return the values of its template.')
}

/** Renders a prompt within the hooks of its class, and sends its messages as JSON. */
class PromptCall extends ActionProtocol {
  readonly prompt: ExposedPrompt
  /** The match of the request. */
  readonly match: object

  constructor(prompt: ExposedPrompt, match: object) {
    super()
    this.prompt = prompt
    this.match = match
  }

  override async run(state: CallState): Promise<unknown> {
    const { method, template, controllerClass } = this.prompt
    const { description, environ } = state
    const binding = description.action(method)
    const result: unknown =
      binding === undefined
        ? await convertValues(method, convertersOf(controllerClass, method), { match: {}, environ })
        : await callMethod(state, binding)
    if (result !== undefined && typeof result !== 'string' && !isValue(result)) return result
    const content = contentBlocks(result) ?? [textBlock(await renderResult(state, template, result, { escape: false }))]
    return { messages: content.map((block) => ({ role: 'user', content: block })) }
  }
}

/**
 * Returns the application that renders the prompt of a request of {@link getPrompt}. Undefined for any other request.
 */
export function promptApplication(app: Application, environ: Environ): WSGIApplication | undefined {
  const { [PROMPT_KEY]: call } = environ
  if (!(call instanceof PromptCall)) return undefined
  const { prompt, match } = call
  return async (_environ, start_response) => {
    const routed = {
      [APPLICATION_KEY]: app,
      [PROTOCOL_KEY]: call,
      'wsgiorg.routing_args': [[], Object.assign(Object.create(null), match)] as const,
      'propylon.route': `prompt ${prompt.name}`,
    }
    Object.assign(environ, routed)
    if (app.keepsSessions && environ.HTTP_COOKIE !== undefined) await app.loadSession(environ)
    return new prompt.controllerClass().__call__(environ, start_response)
  }
}

/** Maximum number of values in a response. */
const MAX_VALUES = 100

/**
 * Returns the result of `completion/complete`: the values that the schema of the argument lists.
 *
 * @param base - URL of the application.
 * @throws JSONRPCError - -32602: there is no such prompt, resource or argument.
 */
export function complete(catalogue: Catalogue, base: string, { params }: MCPCall): object {
  const { ref, argument } = params
  if (!isRecord(ref) || !isRecord(argument) || typeof argument.value !== 'string') {
    throw invalidParams('"ref" and "argument" must be objects, and "argument.value" text')
  }
  const { name, value } = argument
  const described = argumentsAt(catalogue, base, ref).find((each) => each.name === name)
  if (described === undefined) throw invalidParams('there is no such argument')
  const found = jsonSchemasOf(described.schema, 'input')
    .flatMap(valuesOf)
    .filter((each) => each.startsWith(String(value)))
  const [total, hasMore] = [found.length, found.length > MAX_VALUES]
  return { completion: { values: found.slice(0, MAX_VALUES), total, hasMore } }
}

/** Returns the arguments of a prompt or a resource. Empty if there is no such one. */
function argumentsAt(
  { prompts, resources }: Catalogue,
  base: string,
  { type, name, uri }: Readonly<Record<string, unknown>>,
): readonly ArgumentDescription[] {
  if (type === 'ref/prompt') {
    const prompt = prompts.get(String(name))
    return prompt === undefined ? [] : argumentsOf(prompt)
  }
  if (type !== 'ref/resource') return []
  const found = [...resources.values()].find((operation) => base + uriOf(operation) === uri)
  return found?.action.parameters ?? []
}

/** Returns the texts that a schema lists. */
function valuesOf({ enum: values, const: only, anyOf }: JSONSchema): string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isRecord(each) ? valuesOf(each) : []))
  const listed = Array.isArray(values) ? values : only === undefined ? [] : [only]
  return listed.map(String)
}
