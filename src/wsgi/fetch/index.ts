/**
 * The gateway over fetch: applications on Bun, Deno and Workers, and fetch handlers as applications.
 *
 * @module
 */
export type { ForwardOptions } from '../forwarding/forward.ts'
export { forwardTo } from '../forwarding/forward-by-fetch.ts'
export { fromFetch } from './from-fetch.ts'
export { type FetchHandler, type FetchOptions, toFetch } from './to-fetch.ts'
