/** Sends a recorded request to a server. */
import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { BODYLESS_METHODS } from '../../base/methods.ts'
import { isSafe } from '../../http/cross-site.ts'
import { isHopByHop } from '../../wsgi/response-head.ts'
import type { ShadowRequest } from './requests.ts'

/** A response with its whole body. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Origin of the server. */
  readonly origin: string
}

/** A server to compare. */
export interface Target {
  readonly url: URL
  /** Fields that replace fields of the recorded requests. */
  readonly headers: ReadonlyMap<string, string>
  /** In milliseconds. */
  readonly timeout: number
  readonly agent: HttpAgent
}

/** Maximum length of a body, in bytes. */
const MAX_BODY = 33_554_432

/** Fields that concern the recorded connection, or make responses depend on earlier ones. */
const DROPPED: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'accept-encoding',
  'expect',
  'if-none-match',
  'if-modified-since',
  'if-range',
])

/** Creates a target whose connections are reused. */
export function targetAt(url: URL, headers: ReadonlyMap<string, string>, timeout: number): Target {
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent
  return { url, headers, timeout, agent: new Agent({ keepAlive: true }) }
}

/** Sends a request. Rejects if the server does not answer in time, or with too much. */
export function send({ url, headers, timeout, agent }: Target, request: ShadowRequest): Promise<Answer> {
  const { method, target, body } = request
  const fields = new Map<string, string>()
  for (const [name, value] of request.headers) {
    if (isHopByHop(name) || DROPPED.has(name) || name.startsWith(':')) continue
    const known = fields.get(name)
    // HTTP/2 sends cookies in several fields (RFC 9113 §8.2.3).
    fields.set(name, known === undefined ? value : known + (name === 'cookie' ? '; ' : ', ') + value)
  }
  for (const [name, value] of headers) fields.set(name, value)
  // Bodies are compared as they are, and a coding is none of the application's.
  fields.set('accept-encoding', 'identity')
  if (body !== undefined || !BODYLESS_METHODS.has(method)) {
    fields.set('content-length', String(body?.length ?? 0))
  }
  const path = url.pathname.replace(/\/$/, '') + target
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp
    const outgoing = start(url, { method, path, headers: Object.fromEntries(fields), agent }, (response) => {
      const pieces: Buffer[] = []
      let length = 0
      response.on('data', (piece: Buffer) => {
        length += piece.length
        if (length > MAX_BODY) outgoing.destroy(new Error(`the body has more than ${MAX_BODY} bytes`))
        else pieces.push(piece)
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        try {
          const body = decoded(Buffer.concat(pieces), headers['content-encoding'])
          resolve({ status, headers, body, origin: url.origin })
        } catch (error) {
          reject(error)
        }
      })
    })
    const timer = setTimeout(() => outgoing.destroy(new Error(`no response within ${timeout} ms`)), timeout)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server has closed the connection before it received the request.
      const isStale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      if (isStale && isSafe(method)) resolve(send({ url, headers, timeout, agent }, request))
      else reject(error)
    })
    outgoing.end(body)
  })
}

/** Decompresses a body of a server that ignores Accept-Encoding. */
function decoded(body: Buffer, coding: string | undefined): Buffer {
  const options = { maxOutputLength: MAX_BODY }
  // A response to HEAD has none.
  if (body.length === 0) return body
  if (coding === 'gzip') return gunzipSync(body, options)
  if (coding === 'deflate') return inflateSync(body, options)
  return coding === 'br' ? brotliDecompressSync(body, options) : body
}
