/** Descriptions of services and of their procedures, for documents, tools and pages. */

import { proseOf } from '../../app/openapi/texts.ts'
import { describeValue } from '../../base/describe.ts'
import { oncePer } from '../../base/once-per.ts'
import { isRecord } from '../../base/record.ts'
import type { ControllerClass } from '../../controllers/class-methods.ts'
import { namesIn } from '../../controllers/declarations.ts'
import {
  type ArgumentDescription,
  type ProcedureDescription,
  type ServiceDescription,
  securityOf,
} from '../../controllers/describe.ts'
import { readDocumentation } from '../../controllers/doc-comment.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import { alternatives } from '../../http/converters/alternatives.ts'
import { mayOmit, type Procedure } from './procedures.ts'
import type { ServiceClass } from './service-controller.ts'
import type { ServiceRequest } from './service-request.ts'
import { Members, schemaOf } from './type-table.ts'

/** Describes the service of a request. Read once per class. */
export function describeService(request: ServiceRequest): ServiceDescription {
  return describeClass(request.settings, request)
}

const describeClass = oncePer((settings: ServiceClass, { controller, service }: ServiceRequest): ServiceDescription => {
  const deprecated = new Set(namesIn(settings, 'deprecated'))
  const procedures = [...service.procedures.values()].map((procedure) =>
    describeProcedure(procedure, controller._publish_method_name(procedure.name), deprecated.has(procedure.name)),
  )
  const name = settings.name.replace(/Controller$/, '') || 'Service'
  return {
    name,
    title: textOf(settings, 'title') ?? name,
    version: textOf(settings, 'version') ?? '1.0.0',
    description: settings.description,
    security: securityOf(settings),
    securitySchemes: schemesOf(settings),
    procedures: procedures.sort((a, b) => (a.publicName < b.publicName ? -1 : 1)),
  }
})

/** @throws TypeError - the static property is not text. */
function textOf(settings: ControllerClass, property: 'title' | 'version'): string | undefined {
  const value: unknown = Reflect.get(settings, property)
  if (value === undefined || typeof value === 'string') return value
  throw new TypeError(`${settings.name}.${property} is a ${typeof value}. Write text, such as '1.0.0'.`)
}

/** Schemes that need no `static securitySchemes`. */
const KNOWN: ReadonlyMap<string, object> = new Map([
  ['basic', { type: 'http', scheme: 'basic' }],
  ['bearer', { type: 'http', scheme: 'bearer' }],
])

/**
 * Returns the security schemes that `static security` of a class names, as `static securitySchemes` describes them.
 *
 * @throws TypeError - a declaration is malformed, or names a scheme that does not exist.
 */
function schemesOf(settings: ControllerClass): Readonly<Record<string, object>> | undefined {
  const security = securityOf(settings)
  if (security === undefined) return undefined
  const own: unknown = Reflect.get(settings, 'securitySchemes') ?? {}
  const names = new Set(security.flatMap((requirement) => Object.keys(requirement)))
  const schemes = Array.from(names, (name): [string, object] => {
    const stated = isRecord(own) && Object.hasOwn(own, name) ? own[name] : KNOWN.get(name)
    if (typeof stated === 'object' && stated !== null) return [name, stated]
    throw new TypeError(
      `${settings.name}.security names ${describeValue(name)}. Describe the scheme in static securitySchemes, or use basic or bearer.`,
    )
  })
  return Object.fromEntries(schemes)
}

/**
 * Describes a procedure by its signatures, parameters and doc comment. The alternatives of an argument, and of the
 * result, are their types in the signatures.
 */
export function describeProcedure(
  procedure: Procedure,
  publicName: string,
  isDeprecated: boolean,
): ProcedureDescription {
  const { name, signatures, parameters } = procedure
  const { text, parameters: descriptions } = readDocumentation(procedure.help)
  const shapes = parameters?.kind === 'destructured' ? membersOf(parameters, procedure) : byPosition(procedure)
  const results =
    signatures.length > 0 ? signatures.map(([type]) => type) : [procedure.returns].filter((type) => type !== undefined)
  const schema = alternatives(results.map((type) => schemaOf(type, 'output')))
  return {
    name,
    publicName,
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
    const isOptional = types.length < signatures.length || types.some((type) => mayOmit(procedure, index, type))
    return { name, schema: alternatives(types.map((type) => schemaOf(type, 'input'))), required: !isOptional }
  })
}

/** Describes the members of the one object that a method destructures. */
function membersOf({ names }: Parameters, { signatures }: Procedure): readonly Shape[] {
  const type = signatures[0]?.[1]
  const converters = type instanceof Members ? type.converters : undefined
  return names.map(({ name, required }) => {
    const converter = converters?.get(name)
    return { name, schema: converter && schemaOf(converter, 'input'), required }
  })
}

/** Returns the description of a parameter, or of a member of a destructured one: `@param options.limit text`. */
function descriptionOf(name: string, descriptions: ReadonlyMap<string, string>): string {
  const own = descriptions.get(name)
  if (own !== undefined) return own
  for (const [path, text] of descriptions) if (path.endsWith(`.${name}`)) return text
  return ''
}
