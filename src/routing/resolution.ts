/**
 * What becomes of a request: the answer of {@link Mapper.resolve}.
 *
 * @module
 */

import type { Match } from './options.ts'
import type { Route } from './route.ts'

/** A route fits. */
export interface MatchResolution {
  readonly kind: 'match'
  readonly route: Route
  /** The values; no prototype. */
  readonly match: Match
  /** What the `Allow` field would say for the routes defined earlier whose path fits but whose method does not; usually empty. */
  readonly allow: readonly string[]
  /** For a route with `path_info`: the decoded path up to it, which becomes part of SCRIPT_NAME. */
  readonly scriptName: string | undefined
  /** For a route with `path_info`: the rest of the decoded path, with its slash in front. */
  readonly pathInfo: string | undefined
}

/** A path fits, but no route takes the method: 405, or the answer to OPTIONS. */
export interface MethodResolution {
  readonly kind: 'method'
  /** Complete and sorted, with HEAD wherever GET is, and OPTIONS. */
  readonly allow: readonly string[]
}

/** The request belongs elsewhere. */
export interface RedirectResolution {
  readonly kind: 'redirect'
  /** A path on this host with the mount point in front and the query kept, or the absolute URL that a redirect route names. */
  readonly location: string
  readonly status: number
}

/** No route fits the path. */
export interface NoResolution {
  readonly kind: 'none'
}

export type Resolution = MatchResolution | MethodResolution | RedirectResolution | NoResolution
