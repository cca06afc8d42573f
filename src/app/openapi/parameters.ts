/** Parameters of operations: values of the path and of the query, and the arguments of a call by name. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { oncePer } from '../../base/once-per.ts'
import { isRecord } from '../../base/record.ts'
import type { ArgumentDescription, ProcedureDescription } from '../../controllers/describe.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import { isConverter, valueSchema } from '../../http/converters/converter.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { string } from '../../http/converters/scalars.ts'
import { accepts } from '../../http/converters/schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'
import type { Parameter } from '../../routing/pattern.ts'
import type { Requirement } from '../../routing/requirement.ts'
import type { Operation } from './operations.ts'

/** The parameters of an operation. */
export interface OperationParameters {
  readonly path: readonly Parameter[]
  /** Arguments that come from the query. */
  readonly query: readonly ArgumentDescription[]
}

/** A parameter as a document describes it. */
export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JSONSchema
}

/** Returns the parameters of an operation. An argument that the route states is not a parameter. */
export const parametersOf = oncePer(({ template, route, action }: Operation): OperationParameters => {
  const path = new Set(template.parameters.map(({ name }) => name))
  const isStated = (name: string) => typeof route.defaults[name] === 'string'
  return {
    path: template.parameters,
    query: action.parameters.filter(({ name, schema }) => schema !== undefined && !path.has(name) && !isStated(name)),
  }
})

/** Describes the values that a caller can send in the path and in the query. */
interface Carrier {
  inPath(schema: StandardTypedV1, parameter: Parameter): JSONSchema
  inQuery(schema: StandardTypedV1): JSONSchema
}

/**
 * Returns the parameter objects of an operation.
 *
 * @param names - names of the parameters in the path of the document, by position.
 */
export function parameterObjects(
  operation: Operation,
  names: readonly string[],
  schemas: SchemaComponents,
  carrier = URLS,
): ParameterObject[] {
  const { path, query } = parametersOf(operation)
  const name = (parameter: string) => pascalCase(`${operation.id}_${parameter}`)
  const inPath = path.map((parameter, index) => {
    const argument = operation.action.parameters.find((each) => each.name === parameter.name)
    return {
      name: names[index] ?? parameter.name,
      in: 'path' as const,
      required: true,
      ...descriptionOf(argument?.description, parameter),
      schema: schemas.add(carrier.inPath(argument?.schema ?? string, parameter), name(parameter.name), 'input'),
    }
  })
  const inQuery = query.map(({ name: argument, required, description, schema }) => ({
    name: argument,
    in: 'query' as const,
    ...(required && { required }),
    ...(description !== '' && { description }),
    schema: schemas.add(schema === undefined ? {} : carrier.inQuery(schema), name(argument), 'input'),
  }))
  return [...inPath, ...inQuery]
}

/** OpenAPI has no parameters that span segments, so that clients encode a slash. */
const SPANS = 'The value may contain slashes.'

function descriptionOf(argument: string | undefined, { requirement }: Parameter): { readonly description?: string } {
  const text = argument ?? ''
  if (requirement?.spans !== true) return text === '' ? {} : { description: text }
  const separator = text === '' ? '' : /[.!?]$/.test(text) ? ' ' : '. '
  return { description: `${text}${separator}${SPANS}` }
}

/** A client that writes the URL. An empty value of the query means a missing one where one may be missing. */
const URLS: Carrier = {
  inPath(schema, parameter) {
    const { suffixes } = parameter
    const described = pathSchema(schema, parameter)
    const mayEnd = suffixes !== null && isText(described) && accepts(schema, 'a.b')
    return mayEnd ? without(described, suffixes.source) : described
  },
  inQuery(schema) {
    const present = isConverter(schema) ? schema.present : undefined
    const described = sentSchema(schema)
    return present === undefined ? restricted(schema, described, []) : restricted(present, described, [''])
  },
}

/** A caller that sends values. The path is written for it. */
export const CALLS: Carrier = { inPath: pathSchema, inQuery: sentSchema }

/**
 * Returns the schema of a value in the path. It is always sent, so it has no default. Clients remove the segments `.`
 * and `..`, and other pages of a resource have the reserved names.
 */
function pathSchema(schema: StandardTypedV1, { requirement, reserved }: Parameter): JSONSchema {
  const { default: _, ...sent } = sentSchema(schema)
  const pattern = requirement === null ? undefined : jsonPattern(requirement)
  const spans = requirement?.spans === true
  const dots = spans ? [] : ['.', '..']
  const names = [...dots, ...(reserved ?? [])].filter((name) => requirement?.test(name) !== false)
  const described = isText(sent) && pattern !== undefined ? { ...sent, pattern } : sent
  const text = isText(described) ? { ...described, pattern: NO_NUL } : described
  const path = restricted(schema, text, ['', ...names])
  return spans && isText(path) ? without(path, DOT_SEGMENT) : path
}

/** Pattern of a path with a segment that clients remove. */
const DOT_SEGMENT = '(?:^|/)\\.\\.?(?:/|$)'

/** Returns a schema of text that refuses a pattern as well. */
function without(described: JSONSchema, pattern: string): JSONSchema {
  const { not } = described
  return { ...described, not: not === undefined ? { pattern } : { anyOf: [not, { pattern }] } }
}

/** Pattern of text without the character NUL, which converters refuse. */
const NO_NUL = '^[^\\u0000]*$'

/** Patterns of the texts that converters return as they are, by format. Validators need not check a format. */
const PATTERNS: ReadonlyMap<unknown, string> = new Map([
  ['uuid', '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'],
  ['date', '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'],
])

/** Returns true for a schema of any text. */
function isText({ type, pattern = NO_NUL }: JSONSchema): boolean {
  return type === 'string' && pattern === NO_NUL
}

/** Returns a schema that refuses texts which a URL cannot carry, of those that `schema` accepts, and an empty list. */
function restricted(schema: StandardTypedV1, described: JSONSchema, texts: readonly string[]): JSONSchema {
  const isList = isListSchema(schema)
  const refused = texts.filter((text) => accepts(schema, isList ? [text] : text))
  const names = refused.filter((text) => text !== '')
  const restrict = (each: JSONSchema): JSONSchema => ({
    ...each,
    ...(refused.includes('') && { minLength: 1 }),
    ...(names.length > 0 && { not: { enum: names } }),
  })
  return isList ? { ...withItems(described, restrict), minItems: 1 } : restrict(described)
}

function isListSchema(schema: StandardTypedV1): boolean {
  return isConverter(schema) && schema.repeatable
}

function withItems(described: JSONSchema, change: (items: JSONSchema) => JSONSchema): JSONSchema {
  return { ...described, items: change(isRecord(described.items) ? described.items : {}) }
}

/**
 * Returns a requirement as the pattern of a JSON Schema. Undefined if it accepts every value, or if the pattern
 * cannot express it: JSON Schema has no flags but `u`.
 */
function jsonPattern(requirement: Requirement): string | undefined {
  const { source, regex } = requirement
  if (ANYTHING.has(source) || regex.ignoreCase || !regex.unicode) return undefined
  return source.includes('|') ? `^(?:${source})$` : `^${source}$`
}

/** Requirements that accept every value that a path can have. */
const ANYTHING: ReadonlySet<string> = new Set(['.*', '.+', '[^/]+', '[^/]*'])

/** Returns the schema of an argument without texts that converters refuse or return in another form. */
function sentSchema(schema: StandardTypedV1): JSONSchema {
  const described = valueSchema(schema)
  if (!isConverter(schema)) return described
  const exact = (text: JSONSchema) => (isText(text) ? { ...text, pattern: PATTERNS.get(text.format) ?? NO_NUL } : text)
  return isListSchema(schema) ? withItems(described, exact) : exact(described)
}

/** An argument of a call. */
export interface NamedArgument {
  readonly name: string
  readonly required: boolean
  /** Schema with the description of the argument. */
  readonly schema: JSONSchema
}

/** Returns the arguments of a procedure, each with its description in its schema. */
export function namedArguments(
  { name: procedure, parameters }: ProcedureDescription,
  schemas: SchemaComponents,
): NamedArgument[] {
  return parameters.map(({ name, required, description, schema }) => {
    const place = { name: pascalCase(`${procedure}_${name}`), direction: 'input', description } as const
    return { name, required, schema: addSchema(schemas, schema, place) }
  })
}

/**
 * Returns the schema of an object of arguments.
 *
 * @param isOpen - whether it may have other members.
 */
export function argumentsSchema(args: readonly NamedArgument[], isOpen: boolean): JSONSchema {
  const required = args.filter((each) => each.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen,
  }
}
