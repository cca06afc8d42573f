/**
 * The registered statuses 5xx as exceptions (RFC 9110 §15.6).
 *
 * @module
 */

import { HTTPServerError } from './http-exception.ts'

/** 500 Internal Server Error. */
export class HTTPInternalServerError extends HTTPServerError {
  static override readonly status: number = 500
  static override readonly explanation: string = 'The server met an error and could not finish the request.'
}

/** 501 Not Implemented. */
export class HTTPNotImplemented extends HTTPServerError {
  static override readonly status: number = 501
  static override readonly explanation: string = 'The server does not know how to do this.'
}

/** 502 Bad Gateway. */
export class HTTPBadGateway extends HTTPServerError {
  static override readonly status: number = 502
  static override readonly explanation: string =
    'A server behind this one gave an answer that makes no sense.'
}

/** 503 Service Unavailable. `Retry-After` tells when to come back. */
export class HTTPServiceUnavailable extends HTTPServerError {
  static override readonly status: number = 503
  static override readonly explanation: string = 'The server cannot answer just now; please try again later.'
}

/** 504 Gateway Timeout. */
export class HTTPGatewayTimeout extends HTTPServerError {
  static override readonly status: number = 504
  static override readonly explanation: string = 'A server behind this one did not answer in time.'
}

/** 505 HTTP Version Not Supported. */
export class HTTPVersionNotSupported extends HTTPServerError {
  static override readonly status: number = 505
  static override readonly explanation: string = 'The version of HTTP is not supported.'
}

/** 506 Variant Also Negotiates (RFC 2295). */
export class HTTPVariantAlsoNegotiates extends HTTPServerError {
  static override readonly status: number = 506
  static override readonly explanation: string =
    "The server's settings for content negotiation lead in a circle."
}

/** 507 Insufficient Storage (RFC 4918). */
export class HTTPInsufficientStorage extends HTTPServerError {
  static override readonly status: number = 507
  static override readonly explanation: string = 'The server has no room to store what the request needs.'
}

/** 508 Loop Detected (RFC 5842). */
export class HTTPLoopDetected extends HTTPServerError {
  static override readonly status: number = 508
  static override readonly explanation: string = 'The server met an endless loop in processing the request.'
}

/** 510 Not Extended, obsoleted (RFC 2774). */
export class HTTPNotExtended extends HTTPServerError {
  static override readonly status: number = 510
  static override readonly explanation: string = 'The request lacks an extension that the resource demands.'
}

/** 511 Network Authentication Required (RFC 6585). */
export class HTTPNetworkAuthenticationRequired extends HTTPServerError {
  static override readonly status: number = 511
  static override readonly explanation: string = 'The network demands that you sign in first.'
}
