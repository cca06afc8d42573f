/**
 * The exceptions of the registered statuses 300 to 599 (RFC 9110 §15). Each class has its status and the
 * sentence that explains it.
 *
 * @module
 */

import { frameworkExplanation } from './error-texts.ts'
import { HTTPClientError, HTTPRedirection, HTTPServerError, type RegisteredException } from './http-exception.ts'

/** Gives a class its status, and the sentence that explains it. */
function define<Class extends typeof RegisteredException>(Status: Class, code: number, sentence: string): Class {
  const attributes = { enumerable: true, configurable: true, writable: true }
  return Object.defineProperties(Status, {
    status: { value: code, ...attributes },
    explanation: { value: frameworkExplanation(sentence), ...attributes },
  })
}

function redirection(code: number, sentence: string): typeof HTTPRedirection {
  return define(class extends HTTPRedirection {}, code, sentence)
}

function clientError(code: number, sentence: string): typeof HTTPClientError {
  return define(class extends HTTPClientError {}, code, sentence)
}

function serverError(code: number, sentence: string): typeof HTTPServerError {
  return define(class extends HTTPServerError {}, code, sentence)
}

/** 300 Multiple Choices: several representations exist. */
export class HTTPMultipleChoices extends redirection(300, 'The resource has more than one representation.') {}

/** 301 Moved Permanently. Browsers repeat a POST as GET. */
export class HTTPMovedPermanently extends redirection(301, 'The resource has moved permanently.') {}

/** 302 Found: the resource is temporarily at another URL. Browsers repeat a POST as GET. */
export class HTTPFound extends redirection(302, 'The resource is temporarily at another address.') {}

/** 303 See Other: the client fetches another URL with GET, for instance after a POST. */
export class HTTPSeeOther extends redirection(303, 'The result is at another address.') {}

/** 304 Not Modified: the client’s copy is current. The response has no body. */
export class HTTPNotModified extends redirection(304, '') {}

/** 305 Use Proxy, deprecated (RFC 9110 §15.4.6). */
export class HTTPUseProxy extends redirection(305, 'The resource is available through a proxy only.') {}

/** 307 Temporary Redirect, with the same method and body. */
export class HTTPTemporaryRedirect extends redirection(307, 'The resource is temporarily at another address.') {}

/** 308 Permanent Redirect, with the same method and body. */
export class HTTPPermanentRedirect extends redirection(308, 'The resource has moved permanently.') {}

/** 400 Bad Request. */
export class HTTPBadRequest extends clientError(400, 'The request could not be understood.') {}

/**
 * 401 Unauthorized: credentials are missing or wrong.
 *
 * The response must name a scheme in `WWW-Authenticate` (RFC 9110 §15.5.2). Pass the header for the scheme in use;
 * without it the response is sent with `Bearer realm="application"`, for which browsers open no password dialog.
 */
export class HTTPUnauthorized extends clientError(401, 'This requires credentials, which are missing or wrong.') {}

/** 402 Payment Required. */
export class HTTPPaymentRequired extends clientError(402, 'This requires a payment.') {}

/** 403 Forbidden: the client is known and has no permission. */
export class HTTPForbidden extends clientError(403, 'Access to this resource is not allowed.') {}

/** 404 Not Found. */
export class HTTPNotFound extends clientError(404, 'The resource could not be found.') {}

/** 405 Method Not Allowed. Set `Allow` to the allowed methods (RFC 9110 §15.5.6). */
export class HTTPMethodNotAllowed extends clientError(405, 'The method is not allowed for this resource.') {}

/** 406 Not Acceptable: no representation matches the Accept headers. */
export class HTTPNotAcceptable extends clientError(
  406,
  'The resource has no representation that the client accepts.',
) {}

/** 407 Proxy Authentication Required. */
export class HTTPProxyAuthenticationRequired extends clientError(407, 'This requires credentials for the proxy.') {}

/** 408 Request Timeout. */
export class HTTPRequestTimeout extends clientError(408, 'The request took too long to arrive.') {}

/** 409 Conflict with the state of the resource. */
export class HTTPConflict extends clientError(409, 'The request conflicts with the state of the resource.') {}

/** 410 Gone: the resource was removed permanently. */
export class HTTPGone extends clientError(410, 'The resource was removed permanently.') {}

/** 411 Length Required. */
export class HTTPLengthRequired extends clientError(411, 'The request requires a Content-Length.') {}

/** 412 Precondition Failed (RFC 9110 §13). */
export class HTTPPreconditionFailed extends clientError(412, 'A condition in the request headers does not hold.') {}

/** 413 Content Too Large: the body exceeds a limit. */
export class HTTPRequestEntityTooLarge extends clientError(413, 'The body of the request is too large.') {}

/** 414 URI Too Long. */
export class HTTPRequestURITooLong extends clientError(414, 'The URL of the request is too long.') {}

/** 415 Unsupported Media Type: the body's type, charset or content coding. */
export class HTTPUnsupportedMediaType extends clientError(
  415,
  'The type, charset or encoding of the request body is not supported.',
) {}

/** 416 Range Not Satisfiable. */
export class HTTPRequestRangeNotSatisfiable extends clientError(416, 'The requested range is outside the resource.') {}

/** 417 Expectation Failed. */
export class HTTPExpectationFailed extends clientError(417, 'The expectation in the request headers cannot be met.') {}

/** 421 Misdirected Request. */
export class HTTPMisdirectedRequest extends clientError(
  421,
  'The request reached a server that does not serve this host.',
) {}

/** 422 Unprocessable Content: well formed, but not valid. */
export class HTTPUnprocessableEntity extends clientError(
  422,
  'The request was understood, but its content is not valid.',
) {}

/** 423 Locked (RFC 4918). */
export class HTTPLocked extends clientError(423, 'The resource is locked.') {}

/** 424 Failed Dependency (RFC 4918). */
export class HTTPFailedDependency extends clientError(424, 'The request depends on another request, which failed.') {}

/** 425 Too Early (RFC 8470). */
export class HTTPTooEarly extends clientError(425, 'The request arrived too early to be processed safely.') {}

/** 426 Upgrade Required. Set `Upgrade`. */
export class HTTPUpgradeRequired extends clientError(426, 'The client must use another protocol.') {}

/** 428 Precondition Required (RFC 6585). */
export class HTTPPreconditionRequired extends clientError(428, 'The request must be conditional.') {}

/** 429 Too Many Requests (RFC 6585). Set `Retry-After` to the number of seconds to wait. */
export class HTTPTooManyRequests extends clientError(429, 'Too many requests were sent in a short time.') {}

/** 431 Request Header Fields Too Large (RFC 6585). */
export class HTTPRequestHeaderFieldsTooLarge extends clientError(
  431,
  'The header fields of the request are too large.',
) {}

/** 451 Unavailable For Legal Reasons (RFC 7725). */
export class HTTPUnavailableForLegalReasons extends clientError(
  451,
  'The resource is not available for legal reasons.',
) {}

/** 500 Internal Server Error. */
export class HTTPInternalServerError extends serverError(500, 'An unexpected error occurred on the server.') {}

/** 501 Not Implemented. */
export class HTTPNotImplemented extends serverError(501, 'The server does not support this.') {}

/** 502 Bad Gateway. */
export class HTTPBadGateway extends serverError(502, 'A server behind this one sent an invalid response.') {}

/** 503 Service Unavailable. Set `Retry-After` to the number of seconds to wait. */
export class HTTPServiceUnavailable extends serverError(
  503,
  'The server is temporarily unavailable. Please try again later.',
) {}

/** 504 Gateway Timeout. */
export class HTTPGatewayTimeout extends serverError(504, 'A server behind this one did not respond in time.') {}

/** 505 HTTP Version Not Supported. */
export class HTTPVersionNotSupported extends serverError(505, 'This version of HTTP is not supported.') {}

/** 506 Variant Also Negotiates (RFC 2295). */
export class HTTPVariantAlsoNegotiates extends serverError(506, "The server's content negotiation is circular.") {}

/** 507 Insufficient Storage (RFC 4918). */
export class HTTPInsufficientStorage extends serverError(
  507,
  'The server has no space to store what the request requires.',
) {}

/** 508 Loop Detected (RFC 5842). */
export class HTTPLoopDetected extends serverError(
  508,
  'The server detected an endless loop while processing the request.',
) {}

/** 510 Not Extended, obsoleted (RFC 2774). */
export class HTTPNotExtended extends serverError(510, 'The request lacks an extension that the resource requires.') {}

/** 511 Network Authentication Required (RFC 6585). */
export class HTTPNetworkAuthenticationRequired extends serverError(511, 'The network requires you to sign in first.') {}
