/**
 * Calls behind lint(): rules of wsgiref.validate, each with a call that breaks it, and cases of Rack::Lint that apply to the gateway.
 * `rack.*` is `wsgi.*` here, and a status has a reason phrase.
 */
import { describe } from 'node:test'
import { type Chunk, createEnviron, LintError, lint, type StartResponse, type WSGIApplication } from 'propylon/wsgi'
import { agrees, type Case } from './cases.ts'

/** A row: a description, the call, and an explanation if lint() differs from the project. */
type Row = readonly [name: string, call: () => unknown, reason?: string]

/** Returns the cases of rows that have one outcome. */
function casesOf(outcome: 'refused' | 'accepted', rows: readonly Row[]): Case<() => unknown>[] {
  return rows.map(([name, input, reason]) => ({
    name,
    input,
    allowed: [outcome],
    reason,
  }))
}

/** Returns whether lint() refuses a call. Throws all errors but those of lint(). */
async function outcomeOf(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'accepted'
  } catch (error) {
    if (error instanceof LintError) return 'refused'
    throw error
  }
}

const start: StartResponse = () => () => undefined
const PLAIN = [['Content-Type', 'text/plain']]

/** An application that breaks no rule. */
const valid: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['x']
}

/** Calls an application and reads its body to the end. */
async function called(app: WSGIApplication, environ = createEnviron()): Promise<void> {
  const body = await lint(app)(environ, start)
  for await (const _chunk of body);
  await body.close?.()
}

/** Calls the valid application with other arguments. */
const withArguments =
  (...args: unknown[]) =>
  () =>
    Reflect.apply(lint(valid), undefined, args)

const withEnviron = (...others: unknown[]) => withArguments(createEnviron(), start, ...others)
const withoutStart = withArguments(createEnviron())
const insteadOfEnviron = (environ: unknown) => withArguments(environ, start)

/** Calls the valid application with variables set, or removed if the value is undefined. */
const withVariables = (variables: Readonly<Record<string | symbol, unknown>>) => () => {
  const environ = createEnviron()
  for (const key of Reflect.ownKeys(variables)) {
    if (variables[key] === undefined) Reflect.deleteProperty(environ, key)
    else Reflect.set(environ, key, variables[key])
  }
  return called(valid, environ)
}

/** Calls an application that calls start_response with arguments. */
const starting =
  (...args: unknown[]) =>
  () =>
    called((_environ, start_response) => {
      Reflect.apply(start_response, undefined, args)
      return []
    })

const withStatus = (status: unknown) => starting(status, PLAIN)
const withHeaders = (headers: unknown, status = '200 OK') => starting(status, headers)

/** Calls an application that returns a value as its body. */
const returning =
  (body: unknown, headers: unknown = PLAIN) =>
  () =>
    called((_environ, start_response) => {
      Reflect.apply(start_response, undefined, ['200 OK', headers])
      return JSON.parse('{}', () => body)
    })

/** Calls an application that uses the environ before it responds. */
const using = (use: (environ: ReturnType<typeof createEnviron>) => unknown) => () =>
  called(async (environ, start_response) => {
    await use(environ)
    return valid(environ, start_response)
  })

/** A body of one chunk that can be read once. */
function* once(): Generator<Chunk> {
  yield 'x'
}

/** Reads a body of one chunk after a call of its method `close`. */
const readingAfterClose = () => {
  const body = lintedOnce()
  Reflect.apply(Reflect.get(body, 'close'), body, [])
  body[Symbol.iterator]().next()
}

/** Iterates a body of one chunk twice. */
const readingTwice = () => {
  const body = lintedOnce()
  for (const _chunk of body);
  for (const _chunk of body);
}

function lintedOnce(): Iterable<Chunk> {
  const body = lint((_environ, start_response) => {
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return once()
  })(createEnviron(), start)
  if (!(Symbol.iterator in body)) throw new TypeError('lint() has changed the kind of the body')
  return body
}

const TOKEN = 'RFC 9110 §5.1 allows any token as the name of a field.'

const input = (methods: Readonly<Record<string | symbol, unknown>>) => ({ 'wsgi.input': methods })
const read = async () => new Uint8Array()
const iterator = () => null
const stream = null

const WSGIREF_REFUSES: readonly Row[] = [
  ['a call with one argument', withoutStart],
  ['a call with three arguments', withEnviron(1)],
  ['an environ that is a map', insteadOfEnviron(new Map())],
  ...[
    'REQUEST_METHOD',
    'SERVER_NAME',
    'SERVER_PORT',
    'wsgi.version',
    'wsgi.input',
    'wsgi.errors',
    'wsgi.multithread',
    'wsgi.multiprocess',
    'wsgi.run_once',
  ].map((key): Row => [`an environ without ${key}`, withVariables({ [key]: undefined })]),
  ['the variable HTTP_CONTENT_TYPE', withVariables({ HTTP_CONTENT_TYPE: 'text/plain' })],
  ['the variable HTTP_CONTENT_LENGTH', withVariables({ HTTP_CONTENT_LENGTH: '5' })],
  [
    'a variable FOO that is a number',
    withVariables({ FOO: 5 }),
    'Code in JavaScript adds values of any type to the environ under names of its own.',
  ],
  ['a wsgi.version that is a string', withVariables({ 'wsgi.version': '1.0' })],
  ['the scheme ftp', withVariables({ 'wsgi.url_scheme': 'ftp' })],
  ['an input without readline', withVariables(input({ read, [Symbol.asyncIterator]: iterator, stream }))],
  ['an input that cannot be iterated', withVariables(input({ read, readline: read, stream }))],
  ['errors without flush', withVariables({ 'wsgi.errors': { write: read } })],
  ['SCRIPT_NAME without a slash', withVariables({ SCRIPT_NAME: 'app' })],
  ['SCRIPT_NAME /', withVariables({ SCRIPT_NAME: '/' })],
  ['PATH_INFO without a slash', withVariables({ PATH_INFO: 'page' })],
  ['neither SCRIPT_NAME nor PATH_INFO', withVariables({ SCRIPT_NAME: undefined, PATH_INFO: undefined })],
  ['CONTENT_LENGTH -1', withVariables({ CONTENT_LENGTH: '-1' })],
  ['CONTENT_LENGTH x', withVariables({ CONTENT_LENGTH: 'x' })],
  ['start_response with one argument', starting('200 OK')],
  ['start_response with four arguments', starting('200 OK', [], undefined, 1)],
  ['the status 200 as a number', withStatus(200)],
  ['the status 20 OK', withStatus('20 OK')],
  ['the status abc OK', withStatus('abc OK')],
  ['the status 099 OK', withStatus('099 OK')],
  ['headers that are an object', withHeaders({ 'Content-Type': 'text/plain' })],
  ['a header that is a string', withHeaders(['ab'])],
  ['a header of three parts', withHeaders([['a', 'b', 'c']])],
  ['the name 5 as a number', withHeaders([[5, 'b']])],
  ['the value 5 as a number', withHeaders([['a', 5]])],
  ['the header Status', withHeaders([['Status', '200 OK']])],
  ['a name with a colon', withHeaders([['a:b', 'c']])],
  ['a name with a line break', withHeaders([['a\nb', 'c']])],
  ['an empty name', withHeaders([['', 'c']])],
  ['the name a-', withHeaders([['a-', 'c']]), TOKEN],
  ['the name 1a', withHeaders([['1a', 'c']]), TOKEN],
  ['a value with a line break', withHeaders([['a', 'b\nc']])],
  ['a value with a NUL', withHeaders([['a', 'b\0c']])],
  ['204 with Content-Type', withHeaders([['Content-Type', 'text/plain']], '204 No Content')],
  ['304 with Content-Type', withHeaders([['Content-Type', 'text/plain']], '304 Not Modified')],
  ['200 without Content-Type', withHeaders([]), 'RFC 9110 §8.3 does not require Content-Type.'],
  [
    'excInfo that is a string',
    starting('200 OK', [], 'error'),
    'excInfo is a thrown value, and JavaScript can throw a value of any type.',
  ],
  [
    'read without an argument',
    using((environ) => environ['wsgi.input'].read()),
    'PEP 3333 lets applications call read() without an argument.',
  ],
  [
    'read with two arguments',
    using((environ) => Reflect.apply(environ['wsgi.input'].read, environ['wsgi.input'], [1, 2])),
  ],
  [
    'errors.write of a number',
    using((environ) => Reflect.apply(environ['wsgi.errors'].write, environ['wsgi.errors'], [5])),
  ],
  [
    'write of a number',
    () =>
      called((_environ, start_response) => {
        Reflect.apply(start_response('200 OK', []), undefined, [5])
        return []
      }),
  ],
  ['a body that is null', returning(null)],
  ['a body that is a string', returning('Hello')],
  ['a body that is bytes', returning(new Uint8Array(1))],
  ['a chunk that is a number', returning([5])],
  ['a chunk before start_response', () => called(() => ['x'])],
  ['reading after close', readingAfterClose],
]

const WSGIREF_ACCEPTS: readonly Row[] = [
  ['a call as of a server', () => called(valid)],
  ['a method that is unknown', withVariables({ REQUEST_METHOD: 'BREW' })],
  ['an empty CONTENT_LENGTH', withVariables({ CONTENT_LENGTH: '' })],
  ['204 without Content-Type', withHeaders([], '204 No Content')],
]

const HOST = 'Servers of the gateway respond with 400 to a malformed Host, and lint() has no rule for its syntax.'
const PATH = 'PATH_INFO is a path. Servers take the path from a target in absolute form (RFC 9112 §3.2.2).'
const HASH = 'PATH_INFO is percent-decoded, so it may contain #.'
const TARGET = 'https://example.org/a'

const RACK_REFUSES: readonly Row[] = [
  ['a call without arguments', withArguments()],
  ['an environ that is 5', insteadOfEnviron(5)],
  ['a frozen environ', insteadOfEnviron(Object.freeze(createEnviron()))],
  [
    'a key that is a symbol',
    withVariables({ [Symbol('key')]: 1 }),
    'Code in JavaScript adds values under symbols, which collide with no variable.',
  ],
  ['an environ without REQUEST_METHOD', withVariables({ REQUEST_METHOD: undefined })],
  ['an environ without SERVER_NAME', withVariables({ SERVER_NAME: undefined })],
  ['an environ without SERVER_PROTOCOL', withVariables({ SERVER_PROTOCOL: undefined })],
  ['the protocol Foo', withVariables({ SERVER_PROTOCOL: 'Foo' })],
  ['HTTP_CONTENT_TYPE', withVariables({ HTTP_CONTENT_TYPE: 'text/plain' })],
  ['HTTP_CONTENT_LENGTH', withVariables({ HTTP_CONTENT_LENGTH: '42' })],
  [
    'a variable FOO that is an object',
    withVariables({ FOO: {} }),
    'Code in JavaScript adds values of any type to the environ under names of its own.',
  ],
  ['the scheme gopher', withVariables({ 'wsgi.url_scheme': 'gopher' })],
  ['the port howdy', withVariables({ SERVER_PORT: 'howdy' })],
  ['SERVER_NAME with a blank', withVariables({ SERVER_NAME: 'A Host' }), HOST],
  ['HTTP_HOST with a blank', withVariables({ HTTP_HOST: 'A Host' }), HOST],
  ['a method with a question mark', withVariables({ REQUEST_METHOD: 'GET?' })],
  ['a method with a control character', withVariables({ REQUEST_METHOD: 'GET\b' })],
  ['SCRIPT_NAME howdy', withVariables({ SCRIPT_NAME: 'howdy' })],
  ['CONTENT_LENGTH xcii', withVariables({ CONTENT_LENGTH: 'xcii' })],
  ['QUERY_STRING null', withVariables({ QUERY_STRING: null })],
  [
    'QUERY_STRING with U+1234',
    withVariables({ QUERY_STRING: '\u1234' }),
    'Strings in JavaScript have no encoding, and the parser of queries accepts any character.',
  ],
  ['neither PATH_INFO nor SCRIPT_NAME', withVariables({ PATH_INFO: undefined, SCRIPT_NAME: undefined })],
  ['PATH_INFO and SCRIPT_NAME both empty', withVariables({ PATH_INFO: '', SCRIPT_NAME: '' })],
  ['SCRIPT_NAME /', withVariables({ SCRIPT_NAME: '/' })],
  ['an input that is a string', withVariables({ 'wsgi.input': '' })],
  ['errors that are a string', withVariables({ 'wsgi.errors': '' })],
  ['GET *', withVariables({ PATH_INFO: '*' })],
  ['GET example.com:80', withVariables({ PATH_INFO: 'example.com:80' })],
  ['OPTIONS with a URL', withVariables({ REQUEST_METHOD: 'OPTIONS', PATH_INFO: TARGET })],
  ['CONNECT with a URL', withVariables({ REQUEST_METHOD: 'CONNECT', PATH_INFO: TARGET })],
  ['PATH_INFO ../etc/passwd', withVariables({ PATH_INFO: '../etc/passwd' })],
  ['PATH_INFO /foo/bar#qux', withVariables({ PATH_INFO: '/foo/bar#qux' }), HASH],
  ['the status cc', withStatus('cc')],
  ['the status 42', withStatus('42')],
  ['headers that are null', withHeaders(null)],
  ['the name true', withHeaders([[true, 'a']])],
  ['the header status', withHeaders([['status', '404']])],
  ...['(', ',', '/', ':', ';', '=', '@', '[', '\\', '{', '\0', '\n', '\x7f'].map(
    (character): Row => [`the name ${JSON.stringify(character)}`, withHeaders([[character, 'a']])],
  ),
  ['the name A', withHeaders([['A', 'a']]), 'Names of fields are case-insensitive (RFC 9110 §5.1).'],
  ['a value that is an object', withHeaders([['foo', {}]])],
  ['a value with a NUL', withHeaders([['foo-bar', 'text\0plain']])],
  ['100 with Content-Type', withHeaders([['Content-Type', 'text/plain']], '100 Continue')],
  ['204 with Content-Type', withHeaders([['Content-Type', 'text/plain']], '204 No Content')],
  ['304 with Content-Type', withHeaders([['Content-Type', 'text/plain']], '304 Not Modified')],
  ['204 with Content-Length', withHeaders([['Content-Length', '0']], '204 No Content')],
  [
    '304 with Content-Length',
    withHeaders([['Content-Length', '0']], '304 Not Modified'),
    'RFC 9110 §8.6 allows Content-Length in a 304.',
  ],
  ['Content-Length 1 and an empty body', returning([], [['Content-Length', '1']])],
  ['chunks that are numbers', returning([1, 2, 3])],
  ['a body that is an object', returning({})],
  ['a body that is read twice', readingTwice],
  ['a body that is read after close', readingAfterClose],
]

const RACK_ACCEPTS: readonly Row[] = [
  ['a call as of a server', () => called(valid)],
  ['an empty PATH_INFO below /foo', withVariables({ PATH_INFO: '', SCRIPT_NAME: '/foo' })],
  ['OPTIONS *', withVariables({ REQUEST_METHOD: 'OPTIONS', PATH_INFO: '*' })],
  [
    'CONNECT example.com:80',
    withVariables({ REQUEST_METHOD: 'CONNECT', PATH_INFO: 'example.com:80' }),
    'CONNECT is for proxies, and its target is not a path (RFC 9110 §9.3.6).',
  ],
  ['GET with a URL', withVariables({ PATH_INFO: TARGET }), PATH],
  ['PATH_INFO /foo/bar', withVariables({ PATH_INFO: '/foo/bar' })],
  ...['!', '#', '$', '&', "'", '*', '^', '`', '|', '~'].map(
    (character): Row => [`the name ${character}`, withHeaders([[character, 'a']])],
  ),
]

describe('lint()', () => {
  // https://github.com/python/cpython/blob/v3.13.0/Lib/wsgiref/validate.py
  agrees(
    'wsgiref.validate of Python 3.13.0',
    [...casesOf('refused', WSGIREF_REFUSES), ...casesOf('accepted', WSGIREF_ACCEPTS)],
    outcomeOf,
  )

  // https://github.com/rack/rack/blob/8bf4eb078498edc9105fb04add80d89c5340e60b/test/spec_lint.rb
  agrees('Rack::Lint', [...casesOf('refused', RACK_REFUSES), ...casesOf('accepted', RACK_ACCEPTS)], outcomeOf)
})
