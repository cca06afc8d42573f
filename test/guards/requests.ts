/** Requests for guarded paths, as bytes: spellings of the path, with methods and header fields that some servers obey. */
import { spellingOf } from './path-spellings.ts'
import type { Random } from './random.ts'

/** A place that is guarded or must not be served. */
export interface Target {
  /** The path as documented. */
  readonly path: string
  readonly method?: string
  readonly body?: string
  readonly contentType?: string
}

const METHODS = [
  ...['HEAD', 'HEAD', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK'],
  ...['get', 'Get', 'GET\t', 'CONNECT'],
]

const FORMS = ['_method=GET', '_method=HEAD', '_method=DELETE', '_method=PUT', '_method=delete', 'x=1&_method=PATCH']

/** Fields that name another path. `PATH` stands for the path of the target. */
const FIELDS = [
  ...['X-Original-URL: PATH', 'X-Rewrite-URL: PATH', 'X-Forwarded-Uri: PATH', 'X-Forwarded-Path: PATH'],
  ...['X-Forwarded-Prefix: PATH', 'X-Forwarded-Prefix: /static', 'X-Script-Name: PATH', 'Script-Name: /static'],
  ...['X-HTTP-Method-Override: GET', 'X-HTTP-Method: DELETE', 'X-Method-Override: HEAD', '_method: GET'],
  ...['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1;host=localhost;proto=https'],
  ...['X-Forwarded-Host: localhost', 'X-Forwarded-Proto: https', 'X-Forwarded-User: admin', 'Remote-User: admin'],
  ...['Path-Info: PATH', 'X-Path-Info: PATH', 'Referer: PATH', 'X-Middleware-Subrequest: middleware', 'X-Token: x'],
  ...[
    'X_TOKEN: x',
    'Authorization: Basic Og==',
    'Authorization: Bearer undefined',
    'Cookie: X-Token=x',
    'Upgrade: h2c',
  ],
  ...['Connection: X-Token', 'Connection: Host', 'Range: bytes=0-', 'If-None-Match: *', 'If-Match: *', 'Accept: */*'],
  ...['Accept: application/json', 'Content-Type: application/json', 'Transfer-Encoding: identity', 'Expect: x'],
  ...['Sec-Fetch-Site: same-origin', 'Origin: null', 'X-Requested-With: XMLHttpRequest', 'PATH: PATH', ':path: PATH'],
]

const HOSTS = [
  'localhost',
  'localhost',
  'localhost',
  'localhost:80',
  '127.0.0.1',
  'elsewhere.test',
  'localhost.',
  '[::1]',
]

/** Returns the bytes of a request, as Latin-1. */
export function requestBytes(
  target: Target,
  { method = target.method ?? 'GET', path = target.path, fields = [] as readonly string[], ...rest } = {},
): string {
  const { body, contentType, host, version }: Partial<RequestParts> = { ...target, ...rest }
  const lines = [`${method} ${path} HTTP/${version ?? '1.1'}`, `Host: ${host ?? 'localhost'}`, ...fields]
  if (contentType !== undefined) lines.push(`Content-Type: ${contentType}`)
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

interface RequestParts {
  readonly body: string
  readonly contentType: string
  readonly host: string
  readonly version: string
}

/** Returns a request for another spelling of a target, as Latin-1. */
export function spelledRequest(target: Target, random: Random): string {
  const path = random.chance(4) ? target.path : spellingOf(target.path, random)
  const fields = random.chance(25) ? [random.of(FIELDS).replaceAll('PATH', target.path)] : []
  const parts: { -readonly [name in keyof RequestParts]?: string } = { host: random.of(HOSTS) }
  if (random.chance(3)) parts.version = '1.0'
  let method = target.method ?? 'GET'
  if (random.chance(20)) method = random.of(METHODS)
  if (target.body === undefined && method === 'POST') {
    parts.body = random.of(FORMS)
    parts.contentType = 'application/x-www-form-urlencoded'
  } else if (target.body !== undefined && random.chance(15)) {
    parts.contentType = random.of(['text/plain', 'text/xml', 'application/json', 'application/x-www-form-urlencoded'])
  }
  return requestBytes(target, { method, path: latin1(path), fields, ...parts })
}

/** Returns the UTF-8 bytes of a text as Latin-1. Characters up to U+00FF are bytes already. */
function latin1(text: string): string {
  return text.replaceAll(/[^\0-\xff]/g, (each) => Buffer.from(each).toString('latin1'))
}
