/** Cases of Rack::Lint that apply to the gateway. `rack.*` is `wsgi.*` here, and a status has a reason phrase. */
import { createEnviron } from 'propylon/wsgi'
import {
  called,
  casesOf,
  insteadOfEnviron,
  outcomeOf,
  type Row,
  readingAfterClose,
  readingTwice,
  returning,
  valid,
  withArguments,
  withHeaders,
  withStatus,
  withVariables,
} from './lint-call.ts'
import { judge, type Referee } from './referee.ts'

const HOST =
  'Servers of the gateway respond with 400 to a malformed Host, and lint() has no rule for its syntax.'
const PATH = 'PATH_INFO is a path. Servers take the path from a target in absolute form (RFC 9112 §3.2.2).'
const HASH = 'PATH_INFO is percent-decoded, so it may contain #.'
const TARGET = 'https://example.org/a'

const REFUSED: readonly Row[] = [
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

const ACCEPTED: readonly Row[] = [
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

export const rackLint: Referee = {
  name: 'Rack::Lint',
  version: '8bf4eb0',
  source: 'https://github.com/rack/rack/blob/8bf4eb078498edc9105fb04add80d89c5340e60b/test/spec_lint.rb',
  judges: '`lint()`',
  run: () => judge([...casesOf('refused', REFUSED), ...casesOf('accepted', ACCEPTED)], outcomeOf),
}
