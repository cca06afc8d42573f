/**
 * The gateway over fetch: applications on Bun, Deno and Workers, and fetch handlers as applications.
 *
 * @module
 */
export type { ForwardOptions } from '../proxy/forward.ts'
export { forwardTo } from '../proxy/forward-by-fetch.ts'
export { fromFetch } from './from-fetch.ts'
export { type FetchHandler, type FetchOptions, toFetch } from './to-fetch.ts'
