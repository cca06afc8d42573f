/** Actions as tools: their descriptions, the requests that call them, and the results of the responses. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import { GIVEN_KEY, GivenArguments } from '../../controllers/arguments.ts'
import { ActionProtocol, PROTOCOL_KEY, type Steps, wait } from '../../controllers/call.ts'
import type { CallState } from '../../controllers/call-state.ts'
import { describeController } from '../../controllers/describe.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import { acceptsNothing, isSchema } from '../../http/converters/schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'
import { isJson, parseMediaType } from '../../http/media-type.ts'
import { GenerationError } from '../../routing/routing-error.ts'
import { ownValues, queryOf, writePath } from '../../routing/url-path.ts'
import { receivedEvents } from '../../wsgi/received-events.ts'
import { decodePath } from '../../wsgi/request-url.ts'
import type { Operation } from '../openapi/operations.ts'
import { CALLS, parameterObjects, parametersOf } from '../openapi/parameters.ts'
import { proseOf, summaryOfAction } from '../openapi/texts.ts'
import {
  blockOf,
  contentBlocks,
  jsonIn,
  type MCPAnswer,
  notificationsOf,
  type TypedBody,
  textBlock,
  textOf,
  toolFailure,
  toolResult,
  wrongArguments,
} from './answers.ts'
import { type InnerRequest, type InnerRequests, MAX_RESPONSE, TOO_LONG } from './inner-requests.ts'
import { type MCPCall, MODERN_VERSION } from './protocol.ts'
import { inputSchemaOf, outputSchemaOf, type Tool, type ToolArgument, type ToolArguments } from './tool.ts'

/** An action that is a tool, with the request that runs it. */
export interface ActionTool extends Tool {
  readonly operation: Operation
}

/** Describes an action as a tool. */
export function actionTool(operation: Operation, name = operation.id): ActionTool {
  const { method, action } = operation
  const isRead = method === 'get'
  const changes = {
    destructiveHint: method !== 'post',
    idempotentHint: method === 'put' || method === 'delete',
  }
  return {
    name,
    ...textsOf(operation),
    operation,
    annotations: { readOnlyHint: isRead, ...(!isRead && changes) },
    isOpen: false,
    argumentsIn: (components) => argumentsOf(operation, components),
    outputSchema: (version) => outputSchemaOf(action, version),
  }
}

/** Returns the texts of an action for clients: a summary, and its doc comment for language models. */
export function textsOf({ action, controller, route }: Operation): { title: string; description: string } {
  const title = summaryOfAction(controller, action.name, route.resource)
  return { title, description: proseOf(action.help) || title }
}

/** Returns the arguments: of the path, the query and the body. */
function argumentsOf(operation: Operation, components: SchemaComponents): ToolArgument[] {
  const { template, action, route } = operation
  const names = template.parameters.map(({ name }) => name)
  const parameters = parameterObjects(operation, names, components, CALLS).map(
    ({ name, schema, required = false, description = '' }) => ({
      name,
      schema,
      required: required && !(name in route.defaults),
      description,
    }),
  )
  const { body } = action
  if (body === undefined || operation.method === 'get') return parameters
  const { name, description, declaration } = body
  const { schema } = declaration
  const added = addSchema(components, schema, { name: pascalCase(name), direction: 'input' })
  return [...parameters, { name, required: !acceptsNothing(schema), description, schema: added }]
}

/** Thrown for arguments that cannot be sent to the action. */
export class ArgumentsError extends Error {
  override readonly name = 'ArgumentsError'
}

/**
 * Returns the request of a call. The action receives the values themselves; the path and the query are for routes,
 * middleware and hooks.
 *
 * @throws ArgumentsError - an argument is unknown, or its value does not fit into the path.
 */
function requestFor(tool: ActionTool, values: ToolArguments): InnerRequest {
  const { operation } = tool
  const known = Object(inputSchemaOf(tool).properties)
  for (const name in values)
    if (!Object.hasOwn(known, name))
      throw new ArgumentsError(`${tool.name}: there is no argument ${JSON.stringify(name.slice(0, 100))}`)
  const { method, action } = operation
  const body = action.body === undefined ? undefined : values[action.body.name]
  const { query } = parametersOf(operation)
  return {
    method: method.toUpperCase(),
    path: pathFor(operation, values),
    query: query.length === 0 ? '' : queryOf(Object.fromEntries(query.map(({ name }) => [name, values[name]]))),
    json: body === undefined || method === 'get' ? undefined : JSON.stringify(body),
  }
}

/**
 * Returns the path of the request with arguments.
 *
 * @throws ArgumentsError - a value is missing, or does not match the route.
 */
export function pathFor({ route, controller, action }: Operation, values: ToolArguments): string {
  const own: ToolArguments = { controller, action: action.name }
  const lookup = (name: string): unknown => {
    const value = own[name] ?? values[name] ?? route.defaults[name]
    return Array.isArray(value) ? value.join(',') : value
  }
  let path: string
  try {
    path = writePath(route, lookup)
  } catch (error) {
    if (!isInstance(error, GenerationError)) throw error
    throw new ArgumentsError(error.message.split('\n', 1)[0], { cause: error })
  }
  if (decodePath(path) !== undefined) return path
  throw new ArgumentsError(`Route ${route.path} cannot have the character U+0000 in a value.`)
}

/** Runs the action as always, and keeps its state. */
class ObservedAction extends ActionProtocol {
  /** Undefined if the action has not begun: a hook may have answered in its place. */
  state: CallState | undefined = undefined

  override run(state: CallState): unknown {
    this.state = state
    return super.run(state)
  }
}

/** Answers `tools/call`. */
export function* callAction(
  inner: InnerRequests,
  call: MCPCall,
  tool: ActionTool,
  given: ToolArguments,
): Steps<MCPAnswer> {
  const { controller, action, controllerClass, method } = tool.operation
  const values = ownValues(given)
  let request: InnerRequest
  try {
    request = requestFor(tool, values)
  } catch (error) {
    if (!isInstance(error, ArgumentsError)) throw error
    return wrongArguments(call, error.message)
  }
  // Another route may take the path of some arguments, such as /books/new.
  const environ = inner.environOf(request)
  if (inner.placeOf(environ, request.path) !== `${controller} ${action.name}`) {
    return toolFailure(`404 Not Found: ${request.method} ${request.path} is not ${tool.name}.`)
  }
  const protocol = new ObservedAction()
  environ[PROTOCOL_KEY] = protocol
  environ[GIVEN_KEY] = new GivenArguments(describeController(controllerClass), values)
  const response = yield* inner.run(environ, controllerClass)
  if (response.status >= 400) return yield* inner.refusal(call, response, toolFailure)
  const { type } = response
  const { path, query } = request
  const uri = () => inner.base + (query ? `${path}?${query}` : path)
  if (type?.essence === 'text/event-stream') {
    const hasSchema = tool.outputSchema(MODERN_VERSION) !== undefined
    const textType = parseMediaType(hasSchema ? 'application/json' : 'text/plain')
    const answer = (text: unknown) => resultOf(tool, call, { content: String(text), type: textType }, uri)
    return {
      kind: 'stream',
      messages: notificationsOf(noticesIn(response.body), call, answer, (error) => inner.failure(error)),
    }
  }
  const content = yield* wait(response.read())
  if (content === undefined) return toolFailure(TOO_LONG)
  if (response.status < 300) return resultOf(tool, call, { content, type }, uri, protocol.state?.json)
  const text = `${response.statusLine}: ${response.header('location')}`
  // A hook redirects to a page for signing in, for instance. An action that only changes something redirects when it
  // is done.
  const isDone = protocol.state !== undefined && method !== 'get' && tool.outputSchema(call.version) === undefined
  return isDone ? toolResult([textBlock(text)]) : toolFailure(text)
}

/**
 * @param written - JSON that the framework has written for the result: valid, if it is still the body.
 * @throws TypeError - the action declares a result, and the response is neither empty, nor JSON, nor text that the
 * schema accepts.
 */
function resultOf(
  { operation }: ActionTool,
  call: MCPCall,
  body: TypedBody,
  uri: () => string,
  written?: string,
): MCPAnswer {
  const { action, controllerClass } = operation
  const { content, type } = body
  const text = textOf(body) ?? ''
  const isTypedJson = type !== undefined && isJson(type)
  if (isTypedJson && text === written) return declaredResult(call, text, text.startsWith('{'))
  const json = isTypedJson ? jsonIn(text) : undefined
  const { schema } = action.result
  if (schema === undefined || schema === null) {
    if (content.length === 0) return toolResult([])
    const blocks = schema === undefined ? contentBlocks(json?.value) : undefined
    return toolResult(blocks ?? [blockOf(body, uri())])
  }
  if (json !== undefined) return declaredResult(call, text, isRecord(json.value))
  // Text is sent as it is, whatever the class declares.
  if (type?.essence.startsWith('text/') === true && acceptsText(schema, text)) {
    return declaredResult(call, text, false, JSON.stringify(text))
  }
  // The action has run, so an error of the protocol would make a model call it again.
  if (content.length === 0) return toolFailure('The action has run and gave no value, although it declares one.')
  throw new TypeError(
    `${controllerClass.name}.${action.name}() declares a result, and answered a call with ${type?.essence ?? 'no content type'}. Return a value of the schema.`,
  )
}

/** Returns a result with its JSON. Before version 2026-07-28 only an object is structured. */
function declaredResult({ version }: MCPCall, text: string, isObject: boolean, json = text): MCPAnswer {
  return toolResult([textBlock(text)], isObject || version === MODERN_VERSION ? json : undefined)
}

function acceptsText(schema: StandardTypedV1, text: string): boolean {
  if (!isSchema(schema)) return false
  const result = schema['~standard'].validate(text)
  return !isPromise(result) && result.issues === undefined
}

/**
 * Reads an event stream. Yields its events `progress` and `log`, and returns the data of the others, in lines.
 *
 * @throws RangeError - the stream is too long.
 */
async function* noticesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<object, string, undefined> {
  const texts: string[] = []
  for await (const { event, data } of receivedEvents(limited(body))) {
    if (event === 'progress' || event === 'log') yield { event, data: (jsonIn(data) ?? { value: data }).value }
    else texts.push(data)
  }
  return texts.join('\n')
}

/** @throws RangeError - the body has more than {@link MAX_RESPONSE} bytes. */
async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_RESPONSE) throw new RangeError(`The stream has more than ${MAX_RESPONSE} bytes.`)
    yield chunk
  }
}
