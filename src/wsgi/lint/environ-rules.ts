/**
 * Rules for the arguments of an application, and their checks.
 *
 * @module
 */
import { describeValue } from '../../base/describe.ts'
import { isToken } from '../response-head.ts'
import { section } from './rule.ts'

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

/** Rules for servers that call an application. */
export const environRules = section(
  'The call and the environ',
  'A server calls the application once for each request, with the environ and `start_response`. The environ is a plain ' +
    'object, which the application may change. It has the variables of CGI (RFC 3875 §4.1) as strings, the request ' +
    'headers as `HTTP_*`, and the variables of the gateway as `wsgi.*`.',
  'server',
  {
    'call-arguments': [
      'The application is called with two arguments: the environ, and the function `start_response`.',
      'Call it as `app(environ, start_response)`.',
    ],
    'environ-object': [
      'The environ is a plain object: its prototype is `Object.prototype` or null. It can be changed.',
      'Pass an object literal, or a copy: { ...environ }.',
    ],
    'environ-variables': [
      `These variables are required and are strings: ${CGI.map((key) => `\`${key}\``).join(', ')}. ` +
        `${CGI_OPTIONAL.map((key) => `\`${key}\``).join(' and ')} are optional strings.`,
      "Set an unknown variable to ''.",
    ],
    'request-method': ['`REQUEST_METHOD` is a token (RFC 9110 §9.1).', 'Respond to such a request with 400.'],
    'script-name': [
      '`SCRIPT_NAME` is empty or begins with a slash, and is not `/`.',
      "For an application mounted at the root set SCRIPT_NAME to '' and PATH_INFO to '/'.",
    ],
    'path-info': [
      '`PATH_INFO` is empty or begins with a slash; it is `*` for an `OPTIONS` request to the whole server.',
      'Add a slash at the start.',
    ],
    'path-present': ['`SCRIPT_NAME` and `PATH_INFO` are not both empty.', "Set PATH_INFO to '/'."],
    'content-length-digits': [
      '`CONTENT_LENGTH` is empty, or the number of bytes in decimal digits.',
      "Set it to '' if the length is unknown, as in chunked requests.",
    ],
    'server-name': [
      '`SERVER_NAME` is not empty, and `SERVER_PORT` is a number in decimal digits.',
      'Use the address of the socket.',
    ],
    'server-protocol': [
      '`SERVER_PROTOCOL` is `HTTP/` and a version: `HTTP/1.1`.',
      'Set it to the version of the request.',
    ],
    'header-keys': [
      'The key of a request header is `HTTP_` and its name in capitals with underscores; its value is a string. ' +
        '`Content-Type` and `Content-Length` have their own variables, and none with `HTTP_`.',
      'Use `name.toUpperCase().replaceAll("-", "_")` after `HTTP_`. Join repeated headers with a comma, Cookie with a semicolon.',
    ],
    'wsgi-version': ['`wsgi.version` is `[1, 0]`.', 'Set it to [1, 0].'],
    'url-scheme': ['`wsgi.url_scheme` is `http` or `https`.', 'Set it to the scheme of the request.'],
    'input-methods': [
      '`wsgi.input` has the methods `read(size?)` and `readline()`, is async iterable, and has a web stream as `stream`.',
      'Create it with inputStream().',
    ],
    'errors-methods': ['`wsgi.errors` has the methods `write(text)` and `flush()`.', 'Add both methods.'],
    'wsgi-flags': [
      '`wsgi.multithread`, `wsgi.multiprocess` and `wsgi.run_once` are booleans.',
      'Set all three.',
    ],
  },
)

const rules = environRules.rules

/** Checks the arguments of a call to an application. */
export function checkCall(args: readonly unknown[]): void {
  if (args.length !== 2) throw rules['call-arguments'].error(`${args.length} arguments`)
  const [environ, start_response] = args
  if (typeof start_response !== 'function')
    throw rules['call-arguments'].error(`${describeValue(start_response)} as start_response`)
  if (!isPlainObject(environ)) throw rules['environ-object'].error(describeValue(environ))
  if (!isChangeable(environ)) throw rules['environ-object'].error('an object that cannot be changed')
  checkVariables(environ)
  checkGateway(environ)
}

/** Returns true for an object to which keys can be added, and whose variables can be replaced. */
function isChangeable(environ: Record<string, unknown>): boolean {
  return (
    Object.isExtensible(environ) && Object.getOwnPropertyDescriptor(environ, 'wsgi.input')?.writable !== false
  )
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
      throw rules['environ-variables'].error(`${key} is ${describeValue(value)}`)
    }
  }
  const { REQUEST_METHOD = '', SCRIPT_NAME = '', PATH_INFO = '', CONTENT_LENGTH = '' } = text
  const { SERVER_NAME = '', SERVER_PORT = '', SERVER_PROTOCOL = '' } = text
  if (!isToken(REQUEST_METHOD)) throw rules['request-method'].error(describeValue(REQUEST_METHOD))
  if (SCRIPT_NAME === '/' || (SCRIPT_NAME !== '' && !SCRIPT_NAME.startsWith('/')))
    throw rules['script-name'].error(describeValue(SCRIPT_NAME))
  if (!/^(?:\/|$)/.test(PATH_INFO) && !(PATH_INFO === '*' && REQUEST_METHOD === 'OPTIONS'))
    throw rules['path-info'].error(describeValue(PATH_INFO))
  if (SCRIPT_NAME === '' && PATH_INFO === '') throw rules['path-present'].error('both empty')
  if (!/^\d*$/.test(CONTENT_LENGTH)) throw rules['content-length-digits'].error(describeValue(CONTENT_LENGTH))
  if (SERVER_NAME === '' || !/^\d+$/.test(SERVER_PORT)) {
    throw rules['server-name'].error(`${describeValue(SERVER_NAME)} and ${describeValue(SERVER_PORT)}`)
  }
  if (!/^HTTP\/\d(?:\.\d)?$/.test(SERVER_PROTOCOL))
    throw rules['server-protocol'].error(describeValue(SERVER_PROTOCOL))
  for (const key of Object.keys(environ)) {
    if (!/^http[_-]/i.test(key)) continue
    const isOwn = key === 'HTTP_CONTENT_TYPE' || key === 'HTTP_CONTENT_LENGTH'
    if (isOwn || !/^HTTP_[^a-z-]+$/.test(key))
      throw rules['header-keys'].error(`the key ${describeValue(key)}`)
    if (typeof environ[key] !== 'string')
      throw rules['header-keys'].error(`${key} is ${describeValue(environ[key])}`)
  }
}

function checkGateway(environ: Record<string, unknown>): void {
  const version = environ['wsgi.version']
  if (!Array.isArray(version) || version.join('.') !== '1.0')
    throw rules['wsgi-version'].error(describeValue(version))
  const scheme = environ['wsgi.url_scheme']
  if (scheme !== 'http' && scheme !== 'https') throw rules['url-scheme'].error(describeValue(scheme))
  const input = environ['wsgi.input']
  if (!hasMethods(input, ['read', 'readline', Symbol.asyncIterator]) || !('stream' in input)) {
    throw rules['input-methods'].error(describeValue(input))
  }
  const errors = environ['wsgi.errors']
  if (!hasMethods(errors, ['write', 'flush'])) throw rules['errors-methods'].error(describeValue(errors))
  for (const key of ['wsgi.multithread', 'wsgi.multiprocess', 'wsgi.run_once']) {
    if (typeof environ[key] !== 'boolean')
      throw rules['wsgi-flags'].error(`${key} is ${describeValue(environ[key])}`)
  }
}

function hasMethods(value: unknown, names: readonly (string | symbol)[]): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}
