/** Responses of operations. */

import type { SecurityRequirements } from '../../controllers/statics.ts'
import { allowsText, type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'
import type { CrossSiteRule } from '../../http/cross-site.ts'
import { exceptionFor } from '../../http/exceptions.ts'
import type { ProblemForm } from '../../http/problems.ts'
import * as statusExceptions from '../../http/status-exceptions.ts'
import { allowsCrossSite } from '../cross-site.ts'
import { type Operation, UNSAFE_OPERATIONS } from './operations.ts'
import { parametersOf } from './parameters.ts'

/** Name of the component for problem documents, a schema and a response. */
export const PROBLEM = 'Problem'

/** Schema of problem documents (RFC 9457) with the member `errors` of this framework. */
const PROBLEM_SCHEMA = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Kind of the problem.' },
    title: { type: 'string', description: 'Name of the kind.' },
    status: { type: 'integer', description: 'Status of the response.' },
    detail: { type: 'string', description: 'Explanation of this occurrence.' },
    errors: {
      type: 'array',
      description: 'Values that were refused.',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Name of the argument, or path of the field.' },
          detail: { type: 'string', description: 'Reason.' },
        },
        required: ['name', 'detail'],
      },
    },
  },
} satisfies JSONSchema

/** Schema of problem documents of services, with the members that calls add. */
const SERVICE_PROBLEM_SCHEMA: JSONSchema = {
  ...PROBLEM_SCHEMA,
  properties: {
    ...PROBLEM_SCHEMA.properties,
    code: { type: 'integer', description: 'Code of the failure, if the procedure states one.' },
    data: { description: 'Data of the failure, if the procedure states any.' },
  },
}

/** Responses of every procedure besides its result, by component: status and description. */
export const SERVICE_PROBLEMS = {
  BadRequest: ['400', 'The arguments do not fit the procedure.'],
  Failure: ['422', 'The procedure failed.'],
  InternalError: ['500', 'Unexpected error of the server.'],
  [PROBLEM]: ['default', 'Any other problem.'],
} as const

const LOCATION = { schema: { type: 'string', format: 'uri-reference' } }

/** The options of an application that decide which errors its actions have, and in which form. */
export interface ErrorRules {
  readonly crossSite: CrossSiteRule
  readonly problems: ProblemForm | undefined
}

/** Returns the components of errors: problem details, or the form that the application has chosen. */
export function problemComponents(schemas: SchemaComponents, form: ProblemForm | undefined, isService: boolean) {
  const { contentType = 'application/problem+json', schema } = form ?? {}
  const details = isService ? SERVICE_PROBLEM_SCHEMA : PROBLEM_SCHEMA
  const described = schema === undefined ? details : schemas.add(jsonSchemaOf(schema, 'output'), PROBLEM, 'output')
  const isDescribed = form === undefined || schema !== undefined
  const content = {
    [contentType]: isDescribed ? { schema: { $ref: `#/components/schemas/${PROBLEM}` } } : {},
  }
  const own = form === undefined ? 'Problem details (RFC 9457).' : 'An error.'
  const responses = isService
    ? Object.entries(SERVICE_PROBLEMS).map(([name, [, description]]) => [name, { description, content }])
    : [[PROBLEM, { description: own, content }]]
  return { schemas: isDescribed ? { [PROBLEM]: described } : {}, responses: Object.fromEntries(responses) }
}

/** The rules that decide which errors an operation has. */
interface OperationRules extends ErrorRules {
  readonly security: SecurityRequirements
}

/** Returns the responses of an operation by status. */
export function responsesOf(
  operation: Operation,
  schemas: SchemaComponents,
  rules: OperationRules,
): Record<string, object> {
  const problems = new Map(problemsOf(operation, rules))
  for (const [status, text] of thrownStatuses(operation.action.help)) {
    problems.set(status, text || (problems.get(status) ?? exceptionFor(status)?.explanation ?? ''))
  }
  const responses: [string, object][] = [
    ...successes(operation, schemas),
    ...[...problems].map(([status, description]): [string, object] => [
      String(status),
      { $ref: `#/components/responses/${PROBLEM}`, description },
    ]),
  ]
  if (UNSAFE_OPERATIONS.has(operation.method) && hasPages(operation)) {
    const headers = { Location: { description: 'URL of the page to show.', ...LOCATION } }
    responses.push(['303', { description: 'Browsers are redirected.', headers }])
  }
  return Object.fromEntries(responses)
}

/**
 * Returns true if the class of an operation serves browsers: with `static pages`, or with a form that is shown again.
 */
function hasPages({ description: { actions } }: Operation): boolean {
  return [...actions.values()].some(
    ({ result, body }) => result.page !== undefined || body?.declaration.options.form !== undefined,
  )
}

function successes(operation: Operation, schemas: SchemaComponents): [string, object][] {
  const { action, creates } = operation
  const { schema, page, status } = action.result
  const headers = {
    Location: { description: 'URL of the new resource, if the action names it.', ...LOCATION },
  }
  if (schema === null || schema === undefined) {
    const page_ = page === undefined ? {} : { content: { 'text/html': { schema: { type: 'string' } } } }
    if (status !== undefined) return [[String(status), { description: 'Done.', ...page_ }]]
    const done: [string, object] = ['204', { description: 'Done.' }]
    const shown: [string, object][] = page === undefined ? [] : [['200', { description: 'The page.', ...page_ }]]
    return creates ? [done, ['201', { description: 'Created.', headers }], ...shown] : [done, ...shown]
  }
  const described = jsonSchemaOf(schema, 'output')
  const content = {
    'application/json': { schema: schemas.add(described, resultName(operation), 'output') },
    ...((page !== undefined || allowsText(described)) && { 'text/html': { schema: { type: 'string' } } }),
  }
  if (status === 204 || status === 205) return [[String(status), { description: 'Done.' }]]
  if (creates) return [[String(status ?? 201), { description: 'Created.', headers, content }]]
  return [[String(status ?? 200), { description: 'The result.', content }]]
}

/** Name of a result: the member of a resource for its actions, otherwise the operation. */
function resultName({ id, route: { resource }, action: { name } }: Operation): string {
  if (resource !== undefined && MEMBER_ACTIONS.has(name)) return pascalCase(resource.member)
  return pascalCase(id)
}

/** Actions of a resource whose result is the member. */
const MEMBER_ACTIONS: ReadonlySet<string> = new Set(['create', 'edit', 'show', 'update'])

/** Returns the problems that can happen, by status. Every operation has at least one. */
function problemsOf(
  operation: Operation,
  { security, crossSite, problems: form }: OperationRules,
): [status: number, description: string][] {
  const { action, method, controllerClass } = operation
  const { path, query } = parametersOf(operation)
  const isUnsafe = UNSAFE_OPERATIONS.has(method)
  const takesBody = action.body !== undefined && isUnsafe
  const isSecured = security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0)
  const isGuarded = isUnsafe && crossSite !== 'allow' && !allowsCrossSite(controllerClass, action.name)
  const { schema, page } = action.result
  // A text is sent whatever the client accepts.
  const isJson = schema !== null && schema !== undefined && jsonSchemaOf(schema, 'output').type !== 'string'
  const isNegotiated = method === 'get' && (isJson || page !== undefined)
  const invalid = form?.invalid ?? 400
  // Any request can be malformed. It is named if nothing else can happen.
  const isOther = !(isSecured || isGuarded || path.length > 0 || isNegotiated)
  const problems: [happens: boolean, status: number, description: string][] = [
    [query.length > 0 || takesBody || isOther, 400, 'An argument of the query or the body is invalid.'],
    [isSecured, 401, 'The client is not signed in.'],
    [isGuarded, 403, 'The request was sent by a page of another site.'],
    [path.length > 0, 404, 'There is no such resource.'],
    [isNegotiated, 406, 'The client accepts none of the media types.'],
    [takesBody && invalid !== 400, invalid, 'A value of the body is invalid.'],
    [takesBody, 413, 'The body is too large.'],
    [takesBody, 415, 'The body has another content type.'],
  ]
  return problems.flatMap(([happens, ...problem]) => (happens ? [problem] : []))
}

/** `@throws HTTPConflict - text`, `@throws {HTTPConflict} text`, `@throws 409 text`. */
const THROWS = /^\s*@throws +\{?(\w+)\}?(?: +(?:- +)?(.*))?$/gm

/** Returns the errors that a doc comment names, by status, each with its description. */
function thrownStatuses(help: string): Map<number, string> {
  const found = [...help.matchAll(THROWS)].flatMap(([, name = '', text = '']): [number, string][] => {
    const status = EXCEPTIONS.get(name)?.status ?? exceptionFor(Number(name))?.status ?? 0
    return status < 400 ? [] : [[status, text.trim()]]
  })
  return new Map(found)
}

const EXCEPTIONS = new Map(Object.entries(statusExceptions))
