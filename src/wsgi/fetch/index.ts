/**
 * The gateway over fetch: applications on Bun, Deno and Workers, and fetch handlers as applications.
 *
 * @module
 */
export { fromFetch } from './from-fetch.ts'
export { type FetchHandler, type FetchOptions, toFetch } from './to-fetch.ts'
