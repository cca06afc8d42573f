/** Descriptions of procedures, from their signatures, their parameters and their doc comments. */
import { proseOf } from '../../app/openapi/texts.ts'
import { isRecord } from '../../base/record.ts'
import { readDocumentation } from '../../controllers/doc-comment.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'
import { addAlternatives, type DeclaredSignature, jsonSchemaOf } from './json-schema.ts'
import { mayOmit } from './optional-parameters.ts'

/** A parameter of a procedure that is called with arguments by name. */
export interface ParameterDescription {
  readonly name: string
  /** Schemas of the values: one for each signature. Empty for any value. */
  readonly schemas: readonly JSONSchema[]
  readonly required: boolean
  /** Description from the doc comment. Empty if there is none. */
  readonly description: string
}

/** A procedure, as documents and MCP describe it. */
export interface ProcedureDescription {
  /** Name of the method in the class: `stock_find`. */
  readonly method: string
  /** Public name: `stock.find`. */
  readonly name: string
  /** Documentation, without its tags. Empty if there is none. */
  readonly help: string
  readonly parameters: readonly ParameterDescription[]
  /** Ways to pass the parameters. The members of one destructured parameter are passed by name only. */
  readonly passing: 'by-name' | 'by-position' | 'either'
  /** Whether arguments by other names are accepted. */
  readonly isOpen: boolean
  /** Schemas of the result: one for each signature. Empty if it is not declared. */
  readonly results: readonly JSONSchema[]
}

/** The parts of a procedure that its description is made of. */
export interface DescribedProcedure {
  readonly method: string
  readonly name: string
  readonly help: string
  readonly signatures: readonly DeclaredSignature[]
  /** Parameters of the method. Undefined if they cannot be read, so that arguments are passed by position only. */
  readonly parameters: Parameters | undefined
}

/** Describes a procedure. */
export function describeProcedure(procedure: DescribedProcedure): ProcedureDescription {
  const { method, name, signatures, parameters } = procedure
  const { text, parameters: descriptions } = readDocumentation(procedure.help)
  const shapes =
    parameters?.kind === 'destructured' ? membersOf(parameters, signatures) : byPosition(procedure)
  return {
    method,
    name,
    help: proseOf(text),
    parameters: shapes.map((shape) => ({ ...shape, description: descriptionOf(shape.name, descriptions) })),
    passing: passingOf(parameters),
    isOpen: parameters === undefined || (parameters.kind === 'destructured' && parameters.rest),
    results: signatures.map(([type]) => jsonSchemaOf(type, 'output')),
  }
}

function passingOf(parameters: Parameters | undefined): ProcedureDescription['passing'] {
  if (parameters === undefined) return 'by-position'
  return parameters.kind === 'destructured' ? 'by-name' : 'either'
}

type Shape = Omit<ParameterDescription, 'description'>

/**
 * Returns the union of the signatures for each position. A parameter is required if every signature has it, and none lets a
 * call leave it out.
 */
function byPosition(procedure: DescribedProcedure): readonly Shape[] {
  const { parameters, signatures } = procedure
  return (parameters?.names ?? []).map(({ name, required }, index) => {
    if (signatures.length === 0) return { name, schemas: [], required }
    const types = signatures.map((signature) => signature[index + 1]).filter((type) => type !== undefined)
    const schemas = types.map((type) => jsonSchemaOf(type, 'input'))
    const isOptional =
      types.length < signatures.length || types.some((type) => mayOmit(procedure, index, type))
    return { name, schemas, required: !isOptional }
  })
}

/** Returns the members of the one object that a method destructures. */
function membersOf({ names }: Parameters, signatures: readonly DeclaredSignature[]): readonly Shape[] {
  const [only] = signatures
  const declared = signatures.length === 1 ? only?.[1] : undefined
  const schema = declared === undefined ? {} : jsonSchemaOf(declared, 'input')
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  return names.map((member) => {
    const property = Object.hasOwn(properties, member.name) ? properties[member.name] : undefined
    return {
      name: member.name,
      schemas: isRecord(property) ? [detached(property, schema)] : [],
      required: member.required || required.has(member.name),
    }
  })
}

/** Returns a property of a schema with the definitions that it refers to. */
function detached(property: JSONSchema, { $defs }: JSONSchema): JSONSchema {
  const text = JSON.stringify(property)
  if (!text.includes('"$ref":"#')) return property
  // A reference to the whole schema cannot be expressed without it.
  const isRecursive = `${text}${JSON.stringify($defs)}`.includes('"$ref":"#"')
  return isRecursive || !isRecord($defs) ? {} : { ...property, $defs }
}

/** Returns the description of a parameter, or of a member of a destructured one: `@param options.limit text`. */
function descriptionOf(name: string, descriptions: ReadonlyMap<string, string>): string {
  const own = descriptions.get(name)
  if (own !== undefined) return own
  for (const [path, text] of descriptions) if (path.endsWith(`.${name}`)) return text
  return ''
}

/** Returns the schema of an object of all arguments by name, in a document with the components. */
export function argumentsSchema(
  { method, parameters, isOpen }: ProcedureDescription,
  components: SchemaComponents,
): JSONSchema {
  const properties = parameters.map(({ name, schemas, description }) => [
    name,
    addAlternatives(components, schemas, {
      name: pascalCase(`${method}_${name}`),
      direction: 'input',
      description,
    }),
  ])
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: isOpen,
  }
}

/** Returns the schema of the result, in a document with the components. */
export function resultSchema(
  { method, results }: ProcedureDescription,
  components: SchemaComponents,
): JSONSchema {
  return addAlternatives(components, results, { name: pascalCase(`${method}_result`), direction: 'output' })
}
