/** Responses of operations. */
import type { SecurityRequirements } from '../../controllers/action-description.ts'
import { allowsText, type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'
import { type Operation, UNSAFE_METHODS } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { explanationOf, thrownStatuses } from './texts.ts'

/** Name of the component for problem documents, a schema and a response. */
export const PROBLEM = 'Problem'

/** Schema of problem documents (RFC 9457) with the member `errors` of this framework. */
export const PROBLEM_SCHEMA = {
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

const LOCATION = { schema: { type: 'string', format: 'uri-reference' } }

/** Descriptions of problems by status. */
const PROBLEMS = {
  400: 'An argument of the query or the body is invalid.',
  401: 'The client is not signed in.',
  403: 'The request was sent by a page of another site.',
  404: 'There is no such resource.',
  406: 'The client accepts none of the media types.',
  413: 'The body is too large.',
  415: 'The body has another content type.',
} as const

/** Returns the responses of an operation by status. */
export function responsesOf(
  operation: Operation,
  schemas: SchemaComponents,
  security: SecurityRequirements,
): Record<string, object> {
  const problems = new Map<number, string>(
    problemStatuses(operation, security).map((status) => [status, PROBLEMS[status]]),
  )
  for (const [status, text] of thrownStatuses(operation.action.help)) {
    problems.set(status, text || (problems.get(status) ?? explanationOf(status)))
  }
  const responses: [string, object][] = [
    ...successes(operation, schemas),
    ...[...problems].map(([status, description]): [string, object] => [
      String(status),
      { $ref: `#/components/responses/${PROBLEM}`, description },
    ]),
  ]
  if (UNSAFE_METHODS.has(operation.method)) {
    const headers = { Location: { description: 'URL of the page to show.', ...LOCATION } }
    responses.push(['303', { description: 'Browsers are redirected.', headers }])
  }
  return Object.fromEntries(responses)
}

function successes(operation: Operation, schemas: SchemaComponents): [string, object][] {
  const { action, creates } = operation
  const { schema, page, status } = action.result
  const headers = { Location: { description: 'URL of the new resource.', ...LOCATION } }
  if (schema === null || schema === undefined) {
    const page_ = page === undefined ? {} : { content: { 'text/html': { schema: { type: 'string' } } } }
    if (status !== undefined) return [[String(status), { description: 'Done.', ...page_ }]]
    const done: [string, object] = ['204', { description: 'Done.' }]
    const shown: [string, object][] =
      page === undefined ? [] : [['200', { description: 'The page.', ...page_ }]]
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

/** Returns the statuses of problems that can happen. Every operation has at least one. */
function problemStatuses(operation: Operation, security: SecurityRequirements): (keyof typeof PROBLEMS)[] {
  const { action, method } = operation
  const { path, query } = parametersOf(operation)
  const isUnsafe = UNSAFE_METHODS.has(method)
  const takesBody = action.body !== undefined && isUnsafe
  const isSecured = security.some((requirement) => Object.keys(requirement).length > 0)
  const isNegotiated = method === 'get' && action.result.schema !== null
  const happens: Record<keyof typeof PROBLEMS, boolean> = {
    // Any request can be malformed. It is named if nothing else can happen.
    400: query.length > 0 || takesBody || !(isSecured || isUnsafe || path.length > 0 || isNegotiated),
    401: isSecured,
    403: isUnsafe,
    404: path.length > 0,
    406: isNegotiated,
    413: takesBody,
    415: takesBody,
  }
  return STATUSES.filter((status) => happens[status])
}

const STATUSES = [400, 401, 403, 404, 406, 413, 415] as const
