/** Parameters of operations: values of the path and of the query, and the arguments of a call by name. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import type { ArgumentDescription } from '../../controllers/action-description.ts'
import { isConverter } from '../../http/converters/converter.ts'
import { isUnrestricted, type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
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
export function parametersOf({ template, route, action }: Operation): OperationParameters {
  const path = new Set(template.parameters.map(({ name }) => name))
  const isStated = (name: string) => typeof route.defaults[name] === 'string'
  return {
    path: template.parameters,
    query: action.parameters.filter(
      ({ name, schema }) => schema !== undefined && !path.has(name) && !isStated(name),
    ),
  }
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
      schema: schemas.add(pathSchema(argument?.schema, parameter), name(parameter.name), 'input'),
    }
  })
  const inQuery = query.map(({ name: argument, required, description, schema }) => ({
    name: argument,
    in: 'query' as const,
    ...(required && { required }),
    ...(description !== '' && { description }),
    schema: schemas.add(schema === undefined ? {} : sentSchema(schema), name(argument), 'input'),
  }))
  return [...inPath, ...inQuery]
}

/** OpenAPI has no parameters that span segments, so that clients encode a slash. */
const SPANS = 'The value may contain slashes.'

function descriptionOf(
  argument: string | undefined,
  { requirement }: Parameter,
): { readonly description?: string } {
  const text = argument ?? ''
  if (requirement?.spans !== true) return text === '' ? {} : { description: text }
  const separator = text === '' ? '' : /[.!?]$/.test(text) ? ' ' : '. '
  return { description: `${text}${separator}${SPANS}` }
}

/** Returns the schema of a value in the path. It is always sent, so it has no default. */
function pathSchema(schema: StandardTypedV1 | undefined, { requirement }: Parameter): JSONSchema {
  const { default: _, ...sent } = schema === undefined ? { type: 'string' } : sentSchema(schema)
  const pattern = requirement === null ? undefined : jsonPattern(requirement)
  const isFree = sent.type === 'string' && !('pattern' in sent)
  return isFree && pattern !== undefined ? { ...sent, pattern } : sent
}

/**
 * Returns a requirement as the pattern of a JSON Schema. Undefined if it accepts every value, or if the pattern cannot express
 * it: JSON Schema has no flags but `u`.
 */
function jsonPattern(requirement: Requirement): string | undefined {
  const { source, regex } = requirement
  if (ANYTHING.has(source) || regex.ignoreCase || !regex.unicode) return undefined
  return source.includes('|') ? `^(?:${source})$` : `^${source}$`
}

/** Requirements that accept every value that a path can have. */
const ANYTHING: ReadonlySet<string> = new Set(['.*', '.+', '[^/]+', '[^/]*'])

/**
 * Returns the schema of an argument as clients see it: the value of a converter of this package, such as an integer, and
 * the input of any other schema.
 */
function sentSchema(schema: StandardTypedV1): JSONSchema {
  const input = () => jsonSchemaOf(schema, 'input')
  const output = () => jsonSchemaOf(schema, 'output')
  const [first, second] = isConverter(schema) ? [output, input] : [input, output]
  const sent = first()
  return isUnrestricted(sent) ? { ...second(), ...sent } : sent
}

/** An argument of a call. */
export interface NamedArgument {
  readonly name: string
  readonly required: boolean
  /** Schema with the description of the argument. */
  readonly schema: JSONSchema
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
