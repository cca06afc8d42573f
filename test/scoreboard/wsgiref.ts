/** Rules of the validator in the library of Python, each with a call that breaks it. */
import {
  called,
  casesOf,
  insteadOfEnviron,
  outcomeOf,
  type Row,
  readingAfterClose,
  returning,
  starting,
  using,
  valid,
  withEnviron,
  withHeaders,
  withoutStart,
  withStatus,
  withVariables,
} from './lint-call.ts'
import { judge, type Referee } from './referee.ts'

const TOKEN = 'RFC 9110 §5.1 allows any token as the name of a field.'

const input = (methods: Readonly<Record<string | symbol, unknown>>) => ({ 'wsgi.input': methods })
const read = async () => new Uint8Array()
const iterator = () => null
const stream = null

const REFUSED: readonly Row[] = [
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

const ACCEPTED: readonly Row[] = [
  ['a call as of a server', () => called(valid)],
  ['a method that is unknown', withVariables({ REQUEST_METHOD: 'BREW' })],
  ['an empty CONTENT_LENGTH', withVariables({ CONTENT_LENGTH: '' })],
  ['204 without Content-Type', withHeaders([], '204 No Content')],
]

export const wsgiref: Referee = {
  name: 'wsgiref.validate',
  version: 'Python 3.13.0',
  source: 'https://github.com/python/cpython/blob/v3.13.0/Lib/wsgiref/validate.py',
  judges: '`lint()`',
  run: () => judge([...casesOf('refused', REFUSED), ...casesOf('accepted', ACCEPTED)], outcomeOf),
}
