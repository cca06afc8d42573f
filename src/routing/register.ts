/**
 * The registration of an application's mapper with the compiler.
 *
 * @module
 */

import type { StatedRoutes } from './route-map.ts'
import type { NoRoutes } from './types.ts'

/**
 * Registers the mapper of an application with the compiler, which then checks `this.url` and redirects in its controllers.
 *
 * @example
 * ```ts
 * import { Mapper } from 'propylon'
 *
 * export const map = new Mapper().connect('home', '/').resource('user', 'users')
 *
 * declare module 'propylon' {
 *   interface Register {
 *     map: typeof map
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add their mapper, which a type alias does not allow.
export interface Register {}

/** The routes of the registered mapper, or none. */
export type RegisteredRoutes = Register extends { map: infer Map }
  ? Map extends { readonly routeNames?: infer Routes }
    ? unknown extends Routes
      ? StatedRoutes<Map>
      : NonNullable<Routes>
    : NoRoutes
  : NoRoutes
