/** Records requests, for `propylon shadow`. */
import { encodeBase64 } from '../../base/base64.ts'
import { builtin } from '../../base/builtin.ts'
import { errorMessage } from '../../base/thrown.ts'
import { environHeaders } from '../environ.ts'
import { inputStream } from '../input.ts'
import { pathAndQueryOf } from '../request-url.ts'
import { isHopByHop, parseContentLength } from '../response-head.ts'
import type { Environ, HeaderPair, WSGIApplication } from '../types.ts'

/** The options of `forwardTo` that record requests. */
export interface RecordOptions {
  /**
   * A file to which each request is appended as a line of JSON, for `propylon shadow`, or a function that receives it. It has the
   * method, the path, and the header fields without cookies and credentials. Values of query parameters with names such as
   * `token` are left out. Default: nothing is recorded.
   */
  readonly record?: string | URL | ((request: RecordedRequest) => void) | undefined
  /** Whether to record cookies, credentials and bodies up to 64 KiB too. Treat the file as a secret then. Default false. */
  readonly recordSecrets?: boolean | undefined
}

/** A request as it is recorded. */
export interface RecordedRequest {
  /** Time in ISO 8601. */
  readonly time: string
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: readonly HeaderPair[]
  /** The body in base64. Only with `recordSecrets`. */
  readonly body?: string
  /** True if the request has a body that is not recorded. */
  readonly omitsBody?: true
}

const MAX_BODY = 65_536

/** Maximum size of the file, in bytes. Nothing is recorded beyond it. */
const MAX_FILE = 268_435_456

/** Names of header fields and query parameters with secret values. */
const SECRET = /cookie|auth|token|secret|passw|pwd|api[-_]?key|signature|session|^code$|^key$/i

/** Returns an application that records requests before it passes them on. */
export function recorded(
  app: WSGIApplication,
  { record, recordSecrets = false }: RecordOptions,
): WSGIApplication {
  if (record === undefined) return app
  const write = typeof record === 'function' ? record : fileWriter(record)
  return (environ, start_response) => {
    const { CONTENT_LENGTH: stated = '', HTTP_TRANSFER_ENCODING: coding } = environ
    const hasBody = coding !== undefined || (stated !== '' && stated !== '0')
    const length = coding === undefined ? parseContentLength(stated) : -1
    const save = (body?: Uint8Array): void => {
      const part = body === undefined ? hasBody && { omitsBody: true as const } : { body: encodeBase64(body) }
      attempt(() => write({ ...describedRequest(environ, recordSecrets), ...part }), environ)
    }
    if (!hasBody || !recordSecrets || length < 0 || length > MAX_BODY) {
      save()
      return app(environ, start_response)
    }
    return environ['wsgi.input'].read(length).then((body) => {
      environ['wsgi.input'] = inputStream(body)
      save(body)
      return app(environ, start_response)
    })
  }
}

/** Runs a step whose failure must not fail the request. */
function attempt(step: () => void, environ: Environ): void {
  try {
    step()
  } catch (error) {
    environ['wsgi.errors'].write(`forwardTo: the request is not recorded: ${errorMessage(error)}\n`)
  }
}

function describedRequest(environ: Environ, hasSecrets: boolean): RecordedRequest {
  const url = pathAndQueryOf(environ)
  return {
    time: new Date().toISOString(),
    method: environ.REQUEST_METHOD,
    url: hasSecrets ? url : withoutSecrets(url),
    headers: environHeaders(environ).filter(
      ([name]) => !isHopByHop(name) && (hasSecrets || !SECRET.test(name)),
    ),
  }
}

/** Removes the values of secret parameters from a query. */
function withoutSecrets(url: string): string {
  const start = url.indexOf('?') + 1
  if (start === 0) return url
  const fields = url
    .slice(start)
    .split('&')
    .map((field) => {
      const name = field.split('=', 1)[0] ?? ''
      return SECRET.test(name) ? `${name}=` : field
    })
  return url.slice(0, start) + fields.join('&')
}

/** Returns a function that appends to a file, which only its owner can read. */
function fileWriter(path: string | URL): (request: RecordedRequest) => void {
  const { openSync, writeSync, fstatSync } = builtin('node:fs')
  const file = openSync(path, 'a', 0o600)
  let size = fstatSync(file).size
  return (request) => {
    const line = `${JSON.stringify(request)}\n`
    if (size + line.length > MAX_FILE) throw new Error(`the file has reached ${MAX_FILE} bytes`)
    // One write for each line: processes that append to the same file do not mix their lines.
    size += writeSync(file, line)
  }
}
