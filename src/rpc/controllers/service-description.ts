/** Description of a service, for documents and MCP. */
import { describeValue } from '../../base/describe.ts'
import { oncePer } from '../../base/once-per.ts'
import { isRecord } from '../../base/record.ts'
import { type SecurityRequirements, securityOf } from '../../controllers/action-description.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { namesIn } from '../../controllers/exposure.ts'
import { describeProcedure, type ProcedureDescription } from './procedure-description.ts'
import type { ServiceClass } from './service-controller.ts'
import type { ServiceRequest } from './service-request.ts'

/** A service: its names and its procedures. */
export interface ServiceDescription {
  /** Name of the class without `Controller`. */
  readonly name: string
  /** `static title` of the class. Default: the name. */
  readonly title: string
  /** `static version` of the class. Default `1.0.0`. */
  readonly version: string
  /** `static description` of the class. Empty if there is none. */
  readonly description: string
  /** `static security` and `static securitySchemes` of the class. */
  readonly security: ServiceSecurity | undefined
  /** Sorted by public name. */
  readonly procedures: readonly ProcedureDescription[]
}

/** Describes the service of a request. Read once per class. */
export function describeService(request: ServiceRequest): ServiceDescription {
  return describeClass(request.settings, request)
}

const describeClass = oncePer(
  (settings: ServiceClass, { controller, service }: ServiceRequest): ServiceDescription => {
    const deprecated = new Set(namesIn(settings, 'deprecated'))
    const procedures = [...service.procedures.values()].map((procedure) =>
      describeProcedure(
        procedure,
        controller._publish_method_name(procedure.name),
        deprecated.has(procedure.name),
      ),
    )
    const name = settings.name.replace(/Controller$/, '') || 'Service'
    return {
      name,
      title: textOf(settings, 'title') ?? name,
      version: textOf(settings, 'version') ?? '1.0.0',
      description: settings.description,
      security: serviceSecurity(settings),
      procedures: procedures.sort((a, b) => (a.publicName < b.publicName ? -1 : 1)),
    }
  },
)

/** @throws TypeError - the static property is not text. */
function textOf(settings: ControllerClass, property: 'title' | 'version'): string | undefined {
  const value: unknown = Reflect.get(settings, property)
  if (value === undefined || typeof value === 'string') return value
  throw new TypeError(`${settings.name}.${property} is a ${typeof value}. Write text, such as '1.0.0'.`)
}

/** The security of a service, in the terms of OpenAPI 3.1 (§4.8.27, §4.8.30). */
interface ServiceSecurity {
  /** Alternatives: a client needs one of them. */
  readonly security: SecurityRequirements
  /** The schemes that these name. */
  readonly schemes: Readonly<Record<string, object>>
}

/** Schemes that need no `static securitySchemes`. */
const KNOWN: ReadonlyMap<string, object> = new Map([
  ['basic', { type: 'http', scheme: 'basic' }],
  ['bearer', { type: 'http', scheme: 'bearer' }],
])

/**
 * Returns the security that a class declares: `static security`, and the schemes of `static securitySchemes`. Undefined if it
 * declares none.
 *
 * @throws TypeError - a declaration is malformed, or names a scheme that does not exist.
 */
function serviceSecurity(settings: ControllerClass): ServiceSecurity | undefined {
  const security = securityOf(settings)
  if (security === undefined) return undefined
  const own: unknown = Reflect.get(settings, 'securitySchemes') ?? {}
  const schemes: Record<string, object> = {}
  for (const name of new Set(security.flatMap((requirement) => Object.keys(requirement)))) {
    const stated = isRecord(own) && Object.hasOwn(own, name) ? own[name] : KNOWN.get(name)
    if (typeof stated !== 'object' || stated === null) {
      throw new TypeError(
        `${settings.name}.security names ${describeValue(name)}. Describe the scheme in static securitySchemes, or use basic or bearer.`,
      )
    }
    schemes[name] = stated
  }
  return { security, schemes }
}
