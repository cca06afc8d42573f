/**
 * The rules for what a server gives an application, and the checks by them.
 *
 * @module
 */
import { isToken } from '../response-head.ts'
import { found, section } from './rule.ts'

const CGI = [
  'REQUEST_METHOD',
  'SCRIPT_NAME',
  'PATH_INFO',
  'QUERY_STRING',
  'CONTENT_TYPE',
  'CONTENT_LENGTH',
  'SERVER_NAME',
  'SERVER_PORT',
  'SERVER_PROTOCOL',
] as const

const CGI_OPTIONAL = ['REMOTE_ADDR', 'REQUEST_URI'] as const

/** What the server gives the application. */
export const environRules = section(
  'The call and the environ',
  'A server calls the application once for each request, with the environ and `start_response`. The environ is a plain ' +
    'object which the application may change. It holds the variables of CGI (RFC 3875 §4.1) as strings, the request ' +
    'header fields as `HTTP_*`, and what the gateway adds under `wsgi.`.',
  'server',
  {
    'call-arguments': [
      'The application is called with two arguments: the environ, and the function `start_response`.',
      'Call it as `app(environ, start_response)`.',
    ],
    'environ-object': [
      'The environ is a plain object: its prototype is `Object.prototype` or null.',
      'Pass an object literal, or a copy of one made by spreading.',
    ],
    'environ-variables': [
      `These variables are always there, and are strings: ${CGI.map((key) => `\`${key}\``).join(', ')}. ` +
        `${CGI_OPTIONAL.map((key) => `\`${key}\``).join(' and ')} are strings where they are there.`,
      "Set what is unknown to ''.",
    ],
    'request-method': ['`REQUEST_METHOD` is a token (RFC 9110 §9.1).', 'Refuse such a request with 400.'],
    'script-name': [
      '`SCRIPT_NAME` is empty or begins with a slash, and is not the slash alone.',
      "Where the application is mounted at the root, SCRIPT_NAME is '' and PATH_INFO is '/'.",
    ],
    'path-info': [
      '`PATH_INFO` is empty or begins with a slash; it is `*` for an `OPTIONS` request that concerns the server.',
      'Put a slash in front.',
    ],
    'path-present': ['`SCRIPT_NAME` and `PATH_INFO` are not both empty.', "Set PATH_INFO to '/'."],
    'content-length-digits': [
      '`CONTENT_LENGTH` is empty, or a number of bytes in digits.',
      "Set it to '' where the length is not known, as in chunked requests.",
    ],
    'server-name': [
      '`SERVER_NAME` is not empty, and `SERVER_PORT` is a number in digits.',
      'Take them from the socket.',
    ],
    'server-protocol': [
      '`SERVER_PROTOCOL` is `HTTP/` and a version: `HTTP/1.1`.',
      'Give the version of the request.',
    ],
    'header-keys': [
      'Header fields are strings under `HTTP_` and their name in capitals with underscores; `Content-Type` and ' +
        '`Content-Length` have their own variables and no second one under `HTTP_`.',
      'Make the key with `name.toUpperCase().replaceAll("-", "_")`; join repeated fields by a comma, Cookie by a semicolon.',
    ],
    'wsgi-version': ['`wsgi.version` is `[1, 0]`.', 'Set it so.'],
    'url-scheme': ['`wsgi.url_scheme` is `http` or `https`.', 'Say by which of them the client came.'],
    'input-methods': [
      '`wsgi.input` has the methods `read(size?)` and `readline()`, is async iterable, and has a web stream as `stream`.',
      'Make it with inputStream().',
    ],
    'errors-methods': ['`wsgi.errors` has the methods `write(text)` and `flush()`.', 'Give it both.'],
    'wsgi-flags': [
      '`wsgi.multithread`, `wsgi.multiprocess` and `wsgi.run_once` are booleans.',
      'Set all three.',
    ],
  },
)

const rules = environRules.rules

/** Checks the arguments of a call of an application. */
export function checkCall(args: readonly unknown[]): void {
  if (args.length !== 2) throw rules['call-arguments'].error(`${args.length} arguments`)
  const [environ, start_response] = args
  if (typeof start_response !== 'function')
    throw rules['call-arguments'].error(`${found(start_response)} as start_response`)
  if (!isPlainObject(environ)) throw rules['environ-object'].error(found(environ))
  checkVariables(environ)
  checkGateway(environ)
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function checkVariables(environ: Record<string, unknown>): void {
  const text: Record<string, string> = {}
  for (const key of [...CGI, ...CGI_OPTIONAL]) {
    const value = environ[key]
    if (typeof value === 'string') text[key] = value
    else if (value !== undefined || !CGI_OPTIONAL.some((optional) => optional === key)) {
      throw rules['environ-variables'].error(`${key} is ${found(value)}`)
    }
  }
  const { REQUEST_METHOD = '', SCRIPT_NAME = '', PATH_INFO = '', CONTENT_LENGTH = '' } = text
  const { SERVER_NAME = '', SERVER_PORT = '', SERVER_PROTOCOL = '' } = text
  if (!isToken(REQUEST_METHOD)) throw rules['request-method'].error(found(REQUEST_METHOD))
  if (SCRIPT_NAME === '/' || (SCRIPT_NAME !== '' && !SCRIPT_NAME.startsWith('/')))
    throw rules['script-name'].error(found(SCRIPT_NAME))
  if (
    PATH_INFO !== '' &&
    !PATH_INFO.startsWith('/') &&
    !(PATH_INFO === '*' && REQUEST_METHOD === 'OPTIONS')
  ) {
    throw rules['path-info'].error(found(PATH_INFO))
  }
  if (SCRIPT_NAME === '' && PATH_INFO === '') throw rules['path-present'].error('both empty')
  if (!/^\d*$/.test(CONTENT_LENGTH)) throw rules['content-length-digits'].error(found(CONTENT_LENGTH))
  if (SERVER_NAME === '' || !/^\d+$/.test(SERVER_PORT)) {
    throw rules['server-name'].error(`${found(SERVER_NAME)} and ${found(SERVER_PORT)}`)
  }
  if (!/^HTTP\/\d(?:\.\d)?$/.test(SERVER_PROTOCOL))
    throw rules['server-protocol'].error(found(SERVER_PROTOCOL))
  for (const key of Object.keys(environ)) {
    if (!/^http[_-]/i.test(key)) continue
    const isOwn = key === 'HTTP_CONTENT_TYPE' || key === 'HTTP_CONTENT_LENGTH'
    if (isOwn || !/^HTTP_[^a-z-]+$/.test(key)) throw rules['header-keys'].error(`the key ${found(key)}`)
    if (typeof environ[key] !== 'string') throw rules['header-keys'].error(`${key} is ${found(environ[key])}`)
  }
}

function checkGateway(environ: Record<string, unknown>): void {
  const version = environ['wsgi.version']
  if (!Array.isArray(version) || version.join('.') !== '1.0')
    throw rules['wsgi-version'].error(found(version))
  const scheme = environ['wsgi.url_scheme']
  if (scheme !== 'http' && scheme !== 'https') throw rules['url-scheme'].error(found(scheme))
  const input = environ['wsgi.input']
  if (
    typeof input !== 'object' ||
    input === null ||
    !hasMethods(input, ['read', 'readline', Symbol.asyncIterator]) ||
    !('stream' in input)
  ) {
    throw rules['input-methods'].error(found(input))
  }
  const errors = environ['wsgi.errors']
  if (typeof errors !== 'object' || errors === null || !hasMethods(errors, ['write', 'flush'])) {
    throw rules['errors-methods'].error(found(errors))
  }
  for (const key of ['wsgi.multithread', 'wsgi.multiprocess', 'wsgi.run_once']) {
    if (typeof environ[key] !== 'boolean') throw rules['wsgi-flags'].error(`${key} is ${found(environ[key])}`)
  }
}

function hasMethods(object: object, names: readonly (string | symbol)[]): boolean {
  return names.every((name) => typeof Reflect.get(object, name) === 'function')
}
