/** The arguments of a call by name: the input of a tool, and the body that calls a procedure. */
import type { JSONSchema } from '../../http/converters/json-schema.ts'

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
