/**
 * The registered statuses 3xx as exceptions (RFC 9110 §15.4).
 *
 * @module
 */

import { HTTPRedirection } from './http-exception.ts'

/** 300 Multiple Choices: the client chooses among several. */
export class HTTPMultipleChoices extends HTTPRedirection {
  static override readonly status: number = 300
  static override readonly explanation: string = 'The resource has more than one representation.'
}

/** 301 Moved Permanently: use the new URL from now on; browsers repeat a POST as GET. */
export class HTTPMovedPermanently extends HTTPRedirection {
  static override readonly status: number = 301
  static override readonly explanation: string = 'The resource has moved for good.'
}

/** 302 Found: elsewhere for now; browsers repeat a POST as GET. */
export class HTTPFound extends HTTPRedirection {
  static override readonly status: number = 302
  static override readonly explanation: string = 'The resource is elsewhere for now.'
}

/** 303 See Other: what a POST leads to, fetched with GET. */
export class HTTPSeeOther extends HTTPRedirection {
  static override readonly status: number = 303
  static override readonly explanation: string = 'The answer is to be fetched elsewhere.'
}

/** 304 Not Modified: what the client has is current. It has no body. */
export class HTTPNotModified extends HTTPRedirection {
  static override readonly status: number = 304
  static override readonly explanation: string = ''
}

/** 305 Use Proxy, deprecated (RFC 9110 §15.4.6). */
export class HTTPUseProxy extends HTTPRedirection {
  static override readonly status: number = 305
  static override readonly explanation: string = 'The resource must be reached through a proxy.'
}

/** 307 Temporary Redirect: elsewhere for now, with the same method and body. */
export class HTTPTemporaryRedirect extends HTTPRedirection {
  static override readonly status: number = 307
  static override readonly explanation: string = 'The resource is elsewhere for now.'
}

/** 308 Permanent Redirect: use the new URL from now on, with the same method and body. */
export class HTTPPermanentRedirect extends HTTPRedirection {
  static override readonly status: number = 308
  static override readonly explanation: string = 'The resource has moved for good.'
}
