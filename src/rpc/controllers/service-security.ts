/** The security that a service declares, for documents. */
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { type SecurityRequirements, securityOf } from '../../controllers/action-description.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'

/** The security of a service, in the terms of OpenAPI 3.1 (§4.8.27, §4.8.30). */
export interface ServiceSecurity {
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
export function serviceSecurity(settings: ControllerClass): ServiceSecurity | undefined {
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
