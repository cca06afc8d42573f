/**
 * Requests, responses and HTTP exceptions.
 *
 * @module
 */

export type { ResponseBody } from './body.ts'
export type { CacheDirectives } from './cache-control.ts'
export {
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
export type { CrossSiteRule } from './cross-site.ts'
export { formatHttpDate, parseHttpDate } from './date.ts'
export { type EventStreamOptions, eventStream, type ServerSentEvent } from './event-stream.ts'
export * from './exceptions.ts'
export { Form } from './form.ts'
export { FormFile } from './form-file.ts'
export { HeaderList, type HeadersLike } from './headers.ts'
export { escapeHtml } from './html.ts'
export type { JsonOptions } from './json.ts'
export { DEFAULT_LIMITS, type RequestLimits } from './limits.ts'
export { type MediaType, parseMediaType } from './media-type.ts'
export { type AcceptRange, accepts, acceptsEncoding, acceptsLanguage, parseAccept } from './negotiation.ts'
export type { Part } from './part.ts'
export type { PartHeaders } from './part-header.ts'
export type { PartLimits } from './parts.ts'
export { type ParseQueryOptions, parseQuery, QueryParams, TooManyFieldsError } from './query.ts'
export { Request } from './request.ts'
export { RequestHeaders } from './request-headers.ts'
export { Response, type ResponseInit } from './response.ts'
export type { SaveOptions } from './save-file.ts'
