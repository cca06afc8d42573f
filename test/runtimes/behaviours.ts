/** Requests with the responses that every runtime must give. */
import { gzipSync } from 'node:zlib'

export interface Behaviour {
  name: string
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  status: number
  /** Text that is the body, or a pattern it fits. */
  text?: string | RegExp
  /** Header fields that must be there, with a text or pattern. */
  fields?: Record<string, string | RegExp>
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

const multipart = { 'content-type': 'multipart/form-data; boundary=b' }

function part(name: string, content: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`
}

export const behaviours: Behaviour[] = [
  {
    name: 'text',
    path: '/hello',
    status: 200,
    text: 'Hello World',
    fields: { 'content-length': '11', 'content-type': 'text/html; charset=utf-8' },
  },
  { name: 'a stated argument', path: '/hello/greet/joe', status: 200, text: 'Hello, joe! (text)' },
  { name: 'a default argument', path: '/hello/greet', status: 200, text: 'Hello, stranger! (text)' },
  { name: 'percent-decoding', path: '/greetings/%C3%BC%2Fa%20b', status: 200, text: 'Hello, ü/a b! (text)' },
  { name: 'undecodable paths', path: '/hello/%ff', status: 400 },
  {
    name: 'destructured arguments',
    path: '/hello/destructured/7',
    status: 200,
    text: '{"id":"7","format":"html"}',
  },
  {
    name: 'a promise and URL generation',
    path: '/hello/later',
    status: 200,
    text: '{"later":true,"url":"/greetings/a%20b%2F%C3%BC"}',
  },
  {
    name: 'a message in the language of the request',
    path: '/hello/books',
    headers: { 'accept-language': 'de-AT, en;q=0.5' },
    status: 200,
    text: '2.000 Bücher',
    fields: { 'content-language': 'de', vary: 'Cookie, Accept-Language' },
  },
  {
    name: 'a form',
    method: 'POST',
    path: '/hello/form',
    headers: form,
    body: 'a=1&b=%C3%BC+x',
    status: 200,
    text: '{"a":"1","b":"ü x"}',
  },
  {
    name: 'the parts of a form',
    method: 'POST',
    path: '/hello/parts',
    headers: multipart,
    body: `${part('a', 'ü')}${part('f', 'x'.repeat(100_000), 'skipped')}${part('f', 'x'.repeat(100_000), 'file')}--b--`,
    status: 200,
    text: 'a::2 f:file:100000',
  },
  {
    name: 'a part that is too large',
    method: 'POST',
    path: '/hello/parts',
    headers: multipart,
    body: `${part('f', 'x'.repeat(100_001), 'file')}--b--`,
    status: 413,
  },
  {
    name: 'a compressed form',
    method: 'POST',
    path: '/hello/parts',
    headers: { ...multipart, 'content-encoding': 'gzip' },
    body: gzipSync(`${part('a', '1')}--b--`),
    status: 200,
    text: 'a::1',
  },
  {
    name: 'a saved part, where there are files',
    method: 'POST',
    path: '/hello/saved',
    headers: multipart,
    body: `${part('f', 'content', 'file')}--b--`,
    status: 200,
    text: /^content$|saveTo\(\) requires node:fs/,
  },
  { name: 'an async generator', path: '/hello/stream', status: 200, text: 'one two thrée' },
  { name: 'abort', path: '/hello/missing', status: 404, text: /404 Not Found[\s\S]*not here/ },
  {
    name: 'problem details',
    path: '/hello/missing',
    headers: { accept: 'application/json' },
    status: 404,
    text: /"detail":"not here"/,
    fields: { 'content-type': 'application/problem+json' },
  },
  { name: 'redirect', path: '/hello/away', status: 303, fields: { location: '/hello' } },
  { name: 'cookies in', path: '/hello/cookie', headers: { cookie: 'seen=yes' }, status: 200, text: 'yes' },
  { name: 'cookies out', path: '/hello/cookie', status: 200, fields: { 'set-cookie': /a=1.*b=2/s } },
  { name: 'a session', path: '/hello/count', status: 200, text: '1', fields: { 'set-cookie': /^session=/ } },
  {
    name: 'a status of its own',
    path: '/hello/custom',
    status: 299,
    text: 'made',
    fields: { 'x-made': 'yes' },
  },
  { name: "the platform's response", path: '/hello/web', status: 202, text: 'web' },
  { name: 'forward', path: '/hello/handed', status: 200, text: /"PATH_INFO":"\/hello\/handed"/ },
  {
    name: 'a mounted application',
    path: '/environ/a%20b/c?q=1',
    headers: { 'x-told': 'it' },
    status: 200,
    text: '{"REQUEST_METHOD":"GET","SCRIPT_NAME":"/environ","PATH_INFO":"/a b/c","QUERY_STRING":"q=1","HTTP_X_TOLD":"it"}',
  },
  {
    name: 'an echoed body',
    method: 'POST',
    path: '/echo',
    headers: { 'content-type': 'text/plain' },
    body: 'x'.repeat(200_000),
    status: 200,
    text: 'x'.repeat(200_000),
  },
  { name: 'HEAD', method: 'HEAD', path: '/hello', status: 200, text: '', fields: { 'content-length': '11' } },
  ...['/hello/stream', '/hello/web'].map((path) => ({
    name: `HEAD of a response of unknown length: ${path}`,
    method: 'HEAD',
    path,
    status: path === '/hello/web' ? 202 : 200,
    text: '',
    fields: { 'content-length': '' },
  })),
  {
    name: 'a method that is not allowed',
    method: 'DELETE',
    path: '/only-get',
    status: 405,
    fields: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    name: 'OPTIONS',
    method: 'OPTIONS',
    path: '/only-get',
    status: 204,
    text: '',
    fields: { allow: 'GET, HEAD, OPTIONS' },
  },
  { name: 'a path that is not there', path: '/nowhere', status: 404 },
  { name: 'an action that is not there', path: '/hello/constructor', status: 404 },
  {
    name: 'an error without its secret',
    path: '/hello/failing',
    status: 500,
    text: /^(?!.*secret).*500 Internal Server Error/s,
  },
  { name: 'a body that is closed', path: '/closing', status: 200, text: 'one two' },
  { name: 'close() called once', path: '/closing/count', status: 200, text: '1' },
]
