/**
 * Requests from other frameworks: Express, Connect, middie and h3, adapters of Lambda, and mocks.
 *
 * @module
 */

import type { IncomingMessage } from 'node:http'
import { encodeUtf8 } from '../../base/bytes.ts'
import { trimEnd } from '../../base/trim.ts'
import { inputStream } from '../input.ts'
import { targetPath } from '../request-url.ts'
import type { Environ } from '../types.ts'

/** The mount point that a framework has removed from the URL of a request. */
export interface Mount {
  /** Percent-encoded, without a slash at its end. */
  readonly prefix: string
  /** The request target as the client sent it. */
  readonly target: string
  /** Path below the mount point, percent-encoded. */
  readonly path: string
}

/**
 * Returns the mount point of a request: `baseUrl` of Express, or for others the difference between `originalUrl` and
 * `url`.
 *
 * @returns undefined if the application is not mounted.
 */
export function mountOf(req: IncomingMessage): Mount | undefined {
  const target: unknown = Reflect.get(req, 'originalUrl')
  const { url = '/' } = req
  if (typeof target !== 'string' || target === url) return undefined
  const whole = targetPath(target)
  const rest = targetPath(url)
  const base: unknown = Reflect.get(req, 'baseUrl')
  const prefix = trimEnd(typeof base === 'string' ? base : cutAt(whole, rest), '/')
  if (prefix === '') return undefined
  // A mount point has the URL `/` with and without a slash at its end.
  const path = whole === prefix ? '' : rest
  const query = url.indexOf('?')
  return { prefix, target: prefix + path + (query < 0 ? '' : url.slice(query)), path }
}

/** Returns the path without its end; all of it if the framework has replaced an empty end by a slash. */
function cutAt(path: string, end: string): string {
  if (path.endsWith(end)) return path.slice(0, path.length - end.length)
  return end === '/' ? path : ''
}

/**
 * Sets `wsgi.input` to a body that a framework has read already, `rawBody`, or `body` if it is text or bytes, and adds
 * the headers that announce a body of HTTP/2. If the bytes are lost, reads throw.
 *
 * @returns true if the body has been read.
 */
export function preserveBody(req: IncomingMessage, environ: Environ): boolean {
  const { CONTENT_LENGTH: stated, HTTP_TRANSFER_ENCODING: coding } = environ
  const isAnnounced = coding !== undefined || (stated !== '' && stated !== '0')
  if (typeof req.read === 'function' && !req.readableEnded && !req.readableDidRead) {
    // Applications expect a body only if a header announces it.
    if (!isAnnounced && hasHttp2Body(req)) environ.HTTP_TRANSFER_ENCODING = 'chunked'
    return false
  }
  const bytes = keptBytes(req)
  if (bytes !== undefined) {
    environ['wsgi.input'] = inputStream(bytes)
    environ.CONTENT_LENGTH = String(bytes.byteLength)
    delete environ.HTTP_TRANSFER_ENCODING
  } else if (isAnnounced) environ['wsgi.input'] = inputStream(LOST)
  return true
}

function keptBytes(req: IncomingMessage): Uint8Array | undefined {
  for (const name of ['rawBody', 'body']) {
    const value: unknown = Reflect.get(req, name)
    if (typeof value === 'string') return encodeUtf8(value)
    if (value instanceof Uint8Array) return value
  }
  return undefined
}

/** A body of which each read throws. */
const LOST: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({
    next: () =>
      Promise.reject(
        new Error(
          'The request body was read before the application was called. Mount the application before body parsers such as express.json(), or keep the bytes in req.rawBody.',
        ),
      ),
  }),
}

function hasHttp2Body(req: IncomingMessage): boolean {
  const stream: unknown = isHttp2(req) ? Reflect.get(req, 'stream') : undefined
  return typeof stream === 'object' && stream !== null && Reflect.get(stream, 'endAfterHeaders') === false
}

/** Returns true for a request of the compatibility API of node:http2. */
export function isHttp2(req: IncomingMessage): boolean {
  return req.httpVersionMajor >= 2
}
