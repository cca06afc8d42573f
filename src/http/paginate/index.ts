/**
 * Pages of lists: parts of the rows of a Kysely query, or of an array.
 *
 * @module
 */
export type { PageableQuery } from './pageable-query.ts'
export { type Page, type PageOptions, paginate } from './paginate.ts'
