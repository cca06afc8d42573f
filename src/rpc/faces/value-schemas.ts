/** Schemas of the arguments and the result of a procedure in a document. */
import type { NamedArgument } from '../../app/openapi/parameters.ts'
import type { ArgumentDescription } from '../../controllers/action-description.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'
import type { ProcedureDescription } from '../controllers/procedure-description.ts'

/** Returns the arguments by name, each with its description in its schema. */
export function namedArguments(
  procedure: ProcedureDescription,
  components: SchemaComponents,
): NamedArgument[] {
  return procedure.parameters.map((parameter) => {
    const { name, required, description } = parameter
    return { name, required, schema: argumentSchema(procedure, parameter, components, description) }
  })
}

/**
 * Returns the schema of an argument.
 *
 * @param description - replaces the description of the schema, unless it is empty.
 */
export function argumentSchema(
  procedure: ProcedureDescription,
  { name, schema }: ArgumentDescription,
  components: SchemaComponents,
  description = '',
): JSONSchema {
  return addSchema(components, schema, {
    name: pascalCase(`${procedure.name}_${name}`),
    direction: 'input',
    description,
  })
}

export function resultSchema(
  { name, result }: ProcedureDescription,
  components: SchemaComponents,
): JSONSchema {
  return addSchema(components, result.schema ?? undefined, {
    name: pascalCase(`${name}_result`),
    direction: 'output',
  })
}
