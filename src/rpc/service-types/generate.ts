/**
 * Generates TypeScript interfaces from OpenRPC and OpenAPI documents.
 *
 * @module
 */

import { OWN_METHODS } from '../jsonrpc/jsonrpc-client.ts'
import {
  type CallSignature,
  type InterfaceModule,
  type Procedure,
  procedureText,
  writeModule,
} from './interface.ts'
import { SchemaTypes } from './json-schema.ts'
import { type DescribedProcedure, readServiceDocument, type ServiceDocument } from './service-document.ts'

/** Options of `generateServiceTypes`. */
export interface ServiceTypesOptions {
  /** Name of the interface. Default `Api`. */
  readonly name?: string
  /** Module that the library is imported from. Default `propylon/rpc`. */
  readonly module?: string
  /** Origin of the types for the first line, such as the URL of the document. */
  readonly source?: string
  /** Beginning of the names of the procedures to describe. Default: all procedures. */
  readonly only?: string
}

const RESULT = 'JSONResult'

/**
 * Generates a TypeScript interface from an OpenRPC 1.x or OpenAPI 3.x document, for `new JSONRPCClient<Api>(url)`. Names
 * and texts of the document are escaped, so that they cannot become code.
 *
 * Parameters are passed by position, in the order of the document. JSON Schemas become types; local references become
 * named types. A result without a schema is a `JSONResult`, whose members can be read. Of an OpenAPI document, operations
 * by POST with a JSON object are procedures; the others are listed in a comment.
 *
 * @param document - the parsed document.
 * @throws TypeError - the document is neither OpenRPC nor OpenAPI 3, or the name of the interface is not an identifier.
 * @example
 * ```ts
 * import { generateServiceTypes } from 'propylon/rpc'
 *
 * const response = await fetch('http://127.0.0.1:5000/stock/openrpc.json')
 * console.log(generateServiceTypes(await response.json()))
 * // export interface Api { 'stock': { 'find'(sku: string): Promise<JSONResult> } }
 * ```
 */
export function generateServiceTypes(document: unknown, options: ServiceTypesOptions = {}): string {
  return writeServiceTypes(readServiceDocument(document), options)
}

/**
 * Generates the types of a service whose procedures are known by name only.
 *
 * @throws TypeError - the name of the interface is not an identifier.
 */
export function writeNames(names: readonly string[], options: ServiceTypesOptions): string {
  const procedures = names.map(
    (name): Procedure => ({
      name,
      help: '',
      calls: [{ parameters: [], rest: 'unknown', result: RESULT }],
    }),
  )
  return write(options, {
    heading: `The methods of ${options.source ?? 'a service'}, from their names.`,
    procedures,
  })
}

/** Generates the types of a document that has been read. */
export function writeServiceTypes(service: ServiceDocument, options: ServiceTypesOptions): string {
  const types = typesOf(service, options.name)
  const chosen = service.procedures.filter(({ name }) => name.startsWith(options.only ?? ''))
  const procedures = chosen
    .filter(({ isNamedOnly }) => !isNamedOnly)
    .map((procedure) => procedureOf(procedure, types))
  const named = chosen.filter(({ isNamedOnly }) => isNamedOnly).map(({ name }) => name)
  return write(options, {
    heading: `The methods of ${options.source ?? 'a service'}, from its ${service.format} document.`,
    procedures,
    declarations: types.declarations(),
    notes: [
      ['Available through callNamed() only:', named],
      ['Not called by POST with a JSON object:', service.others],
    ],
  })
}

function write(
  { name = 'Api', module = 'propylon/rpc' }: ServiceTypesOptions,
  parts: Omit<InterfaceModule, 'name' | 'imports' | 'ownMembers'>,
): string {
  return writeModule({ name, imports: { module, types: [RESULT] }, ownMembers: OWN_METHODS, ...parts })
}

function typesOf({ source }: ServiceDocument, name = 'Api'): SchemaTypes {
  return new SchemaTypes(source, [name, RESULT, 'Promise'])
}

function procedureOf(procedure: DescribedProcedure, types: SchemaTypes): Procedure {
  return { name: procedure.name, help: helpOf(procedure), calls: [callOf(procedure, types)] }
}

function callOf({ parameters, result }: DescribedProcedure, types: SchemaTypes): CallSignature {
  return {
    parameters: parameters.map(({ name, isRequired, schema }) => ({
      name,
      type: types.typeOf(schema, 'parameter'),
      isOptional: !isRequired,
    })),
    result: types.typeOf(result, 'result'),
  }
}

/** Returns the documentation of a procedure, with a line for each parameter that has a description. */
function helpOf({ help, parameters }: DescribedProcedure): string {
  const lines = parameters
    .filter(({ description }) => description !== '')
    .map(({ name, description }) => `@param ${name} ${description.replace(/\s*[\r\n]\s*/g, ' ')}`)
  if (lines.length === 0) return help
  return [...(help === '' ? [] : [help.trimEnd(), '']), ...lines].join('\n')
}

/**
 * Returns the signature of a procedure, its documentation and the types that it names, or undefined if the document has no such
 * procedure.
 */
export function describedIn(service: ServiceDocument, name: string): string | undefined {
  const procedure = service.procedures.find((each) => each.name === name)
  if (procedure === undefined) return undefined
  const types = typesOf(service)
  return procedureText(procedureOf(procedure, types), types.declarations())
}
