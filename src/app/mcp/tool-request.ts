/** Requests for calls of tools. */
import { isInstance } from '../../base/thrown.ts'
import { GenerationError } from '../../routing/routing-error.ts'
import { queryOf, writePath } from '../../routing/url-path.ts'
import { decodePath } from '../../wsgi/request-url.ts'
import type { Operation } from '../openapi/operations.ts'
import { parametersOf } from '../openapi/parameters.ts'
import type { ExposedAction } from './exposed.ts'
import type { InnerRequest } from './inner-request.ts'
import { inputSchemaOf } from './tools.ts'

/** Arguments of a tool. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** Thrown for arguments that cannot be sent to the action. */
export class ArgumentsError extends Error {
  override readonly name = 'ArgumentsError'
}

/**
 * Returns the request that runs a tool.
 *
 * @throws ArgumentsError - an argument is unknown, or its value does not fit into the URL.
 */
export function requestFor({ operation }: ExposedAction, values: ToolArguments): InnerRequest {
  const known = Object(inputSchemaOf(operation).properties)
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    throw new ArgumentsError(`${operation.id}: there is no argument ${JSON.stringify(unknown.slice(0, 100))}`)
  const { method, action } = operation
  const { query } = parametersOf(operation)
  const body = action.body === undefined ? undefined : values[action.body.name]
  const sent = query.map(({ name }) => [name, queryValue(name, values[name])])
  return {
    method: method.toUpperCase(),
    path: pathFor(operation, values),
    query: queryOf(Object.fromEntries(sent)),
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
  const lookup = (name: string): unknown => own[name] ?? values[name] ?? route.defaults[name]
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

/** @throws ArgumentsError - a query cannot carry the value. */
function queryValue(name: string, value: unknown): unknown {
  const isText = (each: unknown) =>
    typeof each === 'string' ? each.isWellFormed() : typeof each !== 'object' || each === null
  if (Array.isArray(value) ? value.every(isText) : isText(value)) return value
  throw new ArgumentsError(`${name}: must be well-formed text, a number, a boolean or a list of these`)
}
