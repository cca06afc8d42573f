/**
 * The parts below requests and responses: header fields as objects, parsers and formatters of their values,
 * conditions, dates, queries, and HTTP exceptions by status. Applications import the rest from `propylon`.
 *
 * @module
 */

export { Form } from './body/form.ts'
export type { CacheDirectives } from './cache-control.ts'
export {
  type ConditionalRequest,
  type EntityTag,
  type EntityTagList,
  entityTagOf,
  evaluatePreconditions,
  isStrongMatch,
  isWeakMatch,
  type PreconditionResult,
  type Preconditions,
  parseEntityTags,
  toEntityTag,
  type Validators,
} from './conditional.ts'
export { type CookieOptions, formatCookie, parseCookies } from './cookies.ts'
export { formatHttpDate, parseHttpDate } from './date.ts'
export { type ExceptionClass, exceptionFor, formatLocation, makeException } from './exceptions.ts'
export { HeaderList, type HeadersLike } from './headers.ts'
export { DEFAULT_LIMITS, type RequestLimits } from './limits.ts'
export { type MediaType, parseMediaType } from './media-type.ts'
export { type AcceptRange, accepts, acceptsLanguage, parseAccept } from './negotiation.ts'
export { type NestedOptions, type NestedValue, type NestedValues, nested } from './nested.ts'
export { type ParseQueryOptions, parseQuery, QueryParams } from './query.ts'
export type { RequestHead } from './request-head.ts'
export { RequestHeaders } from './request-headers.ts'
