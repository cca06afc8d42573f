/** Descriptions of procedures, in the form of descriptions of actions, made of signatures, parameters and doc comments. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { proseOf } from '../../app/openapi/texts.ts'
import { isRecord } from '../../base/record.ts'
import type { ActionDescription, ArgumentDescription } from '../../controllers/action-description.ts'
import { readDocumentation } from '../../controllers/doc-comment.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import { alternatives } from '../../http/converters/alternatives.ts'
import { type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { describing, schemaOf } from './declared-types.ts'
import { mayOmit } from './optional-parameters.ts'
import type { Procedure } from './procedures.ts'

/** A procedure, as documents and tools describe it. */
export interface ProcedureDescription extends ActionDescription {
  /** Name for clients: `stock.find` for the method `stock_find`. */
  readonly publicName: string
  readonly procedure: Procedure
  /** Whether arguments by other names are accepted. */
  readonly isOpen: boolean
}

/** Describes a procedure. The alternatives of an argument, and of the result, are their types in the signatures. */
export function describeProcedure(
  procedure: Procedure,
  publicName: string,
  isDeprecated: boolean,
): ProcedureDescription {
  const { name, signatures, parameters } = procedure
  const { text, parameters: descriptions } = readDocumentation(procedure.help)
  const shapes =
    parameters?.kind === 'destructured' ? membersOf(parameters, procedure) : byPosition(procedure)
  const schema = alternatives(signatures.map(([type]) => schemaOf(type)))
  return {
    name,
    publicName,
    procedure,
    help: proseOf(text),
    parameters: shapes.map((shape) => ({ ...shape, description: descriptionOf(shape.name, descriptions) })),
    body: undefined,
    result: { schema, page: undefined, status: undefined },
    isDeprecated,
    isOpen: parameters === undefined || (parameters.kind === 'destructured' && parameters.rest),
  }
}

type Shape = Omit<ArgumentDescription, 'description'>

/** Describes each position. A parameter is required if every signature has it, and none lets a call leave it out. */
function byPosition(procedure: Procedure): readonly Shape[] {
  const { parameters, signatures } = procedure
  return (parameters?.names ?? []).map(({ name, required }, index) => {
    if (signatures.length === 0) return { name, schema: undefined, required }
    const types = signatures.map((signature) => signature[index + 1]).filter((type) => type !== undefined)
    const isOptional =
      types.length < signatures.length || types.some((type) => mayOmit(procedure, index, type))
    return { name, schema: alternatives(types.map(schemaOf)), required: !isOptional }
  })
}

/** Describes the members of the one object that a method destructures. */
function membersOf({ names }: Parameters, { signatures }: Procedure): readonly Shape[] {
  const [only] = signatures
  const declared = signatures.length === 1 ? only?.[1] : undefined
  const schema = declared === undefined ? {} : jsonSchemaOf(schemaOf(declared), 'input')
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  return names.map((member) => {
    const property = Object.hasOwn(properties, member.name) ? properties[member.name] : undefined
    return {
      name: member.name,
      schema: isRecord(property) ? detached(property, schema) : undefined,
      required: member.required || required.has(member.name),
    }
  })
}

/** Returns a property of a schema with the definitions that it refers to. Undefined if it refers to the whole schema. */
function detached(property: JSONSchema, { $defs }: JSONSchema): StandardTypedV1 | undefined {
  const text = JSON.stringify(property)
  if (!text.includes('"$ref":"#')) return describing(property)
  const isRecursive = `${text}${JSON.stringify($defs)}`.includes('"$ref":"#"')
  return isRecursive || !isRecord($defs) ? undefined : describing({ ...property, $defs })
}

/** Returns the description of a parameter, or of a member of a destructured one: `@param options.limit text`. */
function descriptionOf(name: string, descriptions: ReadonlyMap<string, string>): string {
  const own = descriptions.get(name)
  if (own !== undefined) return own
  for (const [path, text] of descriptions) if (path.endsWith(`.${name}`)) return text
  return ''
}
