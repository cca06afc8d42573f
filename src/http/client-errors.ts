/**
 * The registered statuses 4xx as exceptions (RFC 9110 §15.5).
 *
 * @module
 */

import { HTTPClientError } from './http-exception.ts'

/** 400 Bad Request. */
export class HTTPBadRequest extends HTTPClientError {
  static override readonly status: number = 400
  static override readonly explanation: string = 'The request could not be understood.'
}

/**
 * 401 Unauthorized: credentials are missing or wrong.
 *
 * The response must name a scheme in `WWW-Authenticate` (RFC 9110 §15.5.2). Pass the header that fits the application;
 * without it the response is sent with `Bearer realm="application"`, for which browsers open no password dialog.
 */
export class HTTPUnauthorized extends HTTPClientError {
  static override readonly status: number = 401
  static override readonly explanation: string =
    'This needs credentials that the request did not carry or that were not right.'
}

/** 402 Payment Required. */
export class HTTPPaymentRequired extends HTTPClientError {
  static override readonly status: number = 402
  static override readonly explanation: string = 'This needs a payment.'
}

/** 403 Forbidden: the client is known, and may not. */
export class HTTPForbidden extends HTTPClientError {
  static override readonly status: number = 403
  static override readonly explanation: string = 'Access to this resource is not allowed.'
}

/** 404 Not Found. */
export class HTTPNotFound extends HTTPClientError {
  static override readonly status: number = 404
  static override readonly explanation: string = 'The resource could not be found.'
}

/** 405 Method Not Allowed. Set `Allow` to the methods that are (RFC 9110 §15.5.6). */
export class HTTPMethodNotAllowed extends HTTPClientError {
  static override readonly status: number = 405
  static override readonly explanation: string = 'The method is not allowed for this resource.'
}

/** 406 Not Acceptable: no form of the resource fits the Accept headers. */
export class HTTPNotAcceptable extends HTTPClientError {
  static override readonly status: number = 406
  static override readonly explanation: string =
    'The resource cannot be sent in a form that the client accepts.'
}

/** 407 Proxy Authentication Required. */
export class HTTPProxyAuthenticationRequired extends HTTPClientError {
  static override readonly status: number = 407
  static override readonly explanation: string = 'This needs credentials for the proxy.'
}

/** 408 Request Timeout. */
export class HTTPRequestTimeout extends HTTPClientError {
  static override readonly status: number = 408
  static override readonly explanation: string = 'The request took too long to arrive.'
}

/** 409 Conflict with the state of the resource. */
export class HTTPConflict extends HTTPClientError {
  static override readonly status: number = 409
  static override readonly explanation: string = 'The request conflicts with the state of the resource.'
}

/** 410 Gone for good. */
export class HTTPGone extends HTTPClientError {
  static override readonly status: number = 410
  static override readonly explanation: string = 'The resource is gone for good.'
}

/** 411 Length Required. */
export class HTTPLengthRequired extends HTTPClientError {
  static override readonly status: number = 411
  static override readonly explanation: string = 'The request needs a Content-Length.'
}

/** 412 Precondition Failed (RFC 9110 §13). */
export class HTTPPreconditionFailed extends HTTPClientError {
  static override readonly status: number = 412
  static override readonly explanation: string = 'A condition in the request headers does not hold.'
}

/** 413 Content Too Large: the body exceeds a limit. */
export class HTTPRequestEntityTooLarge extends HTTPClientError {
  static override readonly status: number = 413
  static override readonly explanation: string = 'The body of the request is too large.'
}

/** 414 URI Too Long. */
export class HTTPRequestURITooLong extends HTTPClientError {
  static override readonly status: number = 414
  static override readonly explanation: string = 'The URL of the request is too long.'
}

/** 415 Unsupported Media Type: the body's type, charset or content coding. */
export class HTTPUnsupportedMediaType extends HTTPClientError {
  static override readonly status: number = 415
  static override readonly explanation: string =
    'The body of the request has a type, charset or encoding that is not supported here.'
}

/** 416 Range Not Satisfiable. */
export class HTTPRequestRangeNotSatisfiable extends HTTPClientError {
  static override readonly status: number = 416
  static override readonly explanation: string = 'The range asked for lies outside the resource.'
}

/** 417 Expectation Failed. */
export class HTTPExpectationFailed extends HTTPClientError {
  static override readonly status: number = 417
  static override readonly explanation: string = 'The expectation in the request headers cannot be met.'
}

/** 421 Misdirected Request. */
export class HTTPMisdirectedRequest extends HTTPClientError {
  static override readonly status: number = 421
  static override readonly explanation: string =
    'The request reached a server that does not answer for this host.'
}

/** 422 Unprocessable Content: well formed, but not valid. */
export class HTTPUnprocessableEntity extends HTTPClientError {
  static override readonly status: number = 422
  static override readonly explanation: string =
    'The request was understood, but what it holds cannot be processed.'
}

/** 423 Locked (RFC 4918). */
export class HTTPLocked extends HTTPClientError {
  static override readonly status: number = 423
  static override readonly explanation: string = 'The resource is locked.'
}

/** 424 Failed Dependency (RFC 4918). */
export class HTTPFailedDependency extends HTTPClientError {
  static override readonly status: number = 424
  static override readonly explanation: string = 'The request depends on another one, which failed.'
}

/** 425 Too Early (RFC 8470). */
export class HTTPTooEarly extends HTTPClientError {
  static override readonly status: number = 425
  static override readonly explanation: string = 'The request came too early to be processed safely.'
}

/** 426 Upgrade Required. Set `Upgrade`. */
export class HTTPUpgradeRequired extends HTTPClientError {
  static override readonly status: number = 426
  static override readonly explanation: string = 'The client must use another protocol.'
}

/** 428 Precondition Required (RFC 6585). */
export class HTTPPreconditionRequired extends HTTPClientError {
  static override readonly status: number = 428
  static override readonly explanation: string = 'The request must be conditional.'
}

/** 429 Too Many Requests (RFC 6585). `Retry-After` tells when to come back. */
export class HTTPTooManyRequests extends HTTPClientError {
  static override readonly status: number = 429
  static override readonly explanation: string = 'Too many requests have come in too short a time.'
}

/** 431 Request Header Fields Too Large (RFC 6585). */
export class HTTPRequestHeaderFieldsTooLarge extends HTTPClientError {
  static override readonly status: number = 431
  static override readonly explanation: string = 'The header fields of the request are too large.'
}

/** 451 Unavailable For Legal Reasons (RFC 7725). */
export class HTTPUnavailableForLegalReasons extends HTTPClientError {
  static override readonly status: number = 451
  static override readonly explanation: string = 'The resource may not be shown for legal reasons.'
}
