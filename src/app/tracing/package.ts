/** The optional peer dependency of `propylon/otel`. */

import { memberOf } from '../../base/thrown.ts'

/** The module `@opentelemetry/api`. */
export type OpenTelemetry = typeof import('@opentelemetry/api')

/**
 * Imports `@opentelemetry/api`. Synchronous, so that the first request is traced.
 *
 * @throws Error - the package is not installed.
 */
export function openTelemetry(): OpenTelemetry {
  const load = process.getBuiltinModule('node:module').createRequire(import.meta.url)
  try {
    return load('@opentelemetry/api')
  } catch (cause) {
    if (!/MODULE_NOT_FOUND$/.test(String(memberOf(cause, 'code')))) throw cause
    throw new Error(
      'propylon/otel requires the package @opentelemetry/api, which is not installed. Run: npm install @opentelemetry/api',
      { cause },
    )
  }
}
