/** The works, in the order of the tables. */
import assert from 'node:assert/strict'
import { formOfUser, STREAM_LENGTH, users } from './data.ts'
import { type Answer, byBrowsers, type Work } from './work.ts'

const TEXT = /^text\/(?:plain|html)(?:; ?charset=utf-8)?$/i
const HTML = /^text\/html; ?charset=utf-8$/i
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i

function isOfType({ headers }: Answer, type: RegExp): void {
  assert.match(headers.get('content-type') ?? '', type)
}

/** Checks that a response that is not streamed has a Content-Length. */
function isWhole(answer: Answer): void {
  assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.body)))
}

const hello = byBrowsers({
  name: 'hello',
  title: 'Hello text',
  method: 'GET',
  path: '/hello/index',
  status: 200,
  rate: 10_000,
  check(answer) {
    isOfType(answer, TEXT)
    isWhole(answer)
    assert.equal(answer.body, 'Hello World')
  },
})

const userJson = byBrowsers({
  name: 'user-json',
  title: 'JSON of one user among 50 routes',
  method: 'GET',
  path: '/users/user7',
  status: 200,
  rate: 10_000,
  check(answer) {
    isOfType(answer, JSON_TYPE)
    isWhole(answer)
    assert.deepEqual(JSON.parse(answer.body), users[6])
  },
})

const userList = byBrowsers({
  name: 'user-list',
  title: 'HTML list of 20 users by a template',
  method: 'GET',
  path: '/users',
  status: 200,
  rate: 10_000,
  check(answer) {
    isOfType(answer, HTML)
    isWhole(answer)
    assert.equal(answer.body.match(/<li>/g)?.length, 20)
    assert.match(answer.body, /<h1>Users \(20\)<\/h1>/)
    assert.match(answer.body, /<strong>Jörg O’Neill &amp; Sons<\/strong><\/a> <user10@example\.org>/)
  },
})

const form = byBrowsers({
  name: 'form',
  title: 'Urlencoded form, validated by Zod, 201',
  method: 'POST',
  path: '/users',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: formOfUser,
  status: 201,
  rate: 10_000,
  check(answer) {
    isOfType(answer, TEXT)
    isWhole(answer)
    assert.equal(answer.headers.get('location'), '/users/joe')
    assert.equal(answer.body, 'Created joe')
  },
})

/** A request of a scanner, which takes any type, for a page that does not exist. */
function missing(name: string, title: string, path: string): Work {
  return {
    name,
    title,
    method: 'GET',
    path,
    status: 404,
    connections: 64,
    rate: 10_000,
    check: (answer) => assert.ok(answer.body.length < 1024, answer.body),
  }
}

const streamed: Work = {
  name: 'stream',
  title: '1 MiB body, streamed in 16 chunks',
  method: 'GET',
  path: '/files/stream',
  status: 200,
  connections: 8,
  rate: 1000,
  check(answer) {
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    assert.equal(answer.body.length, STREAM_LENGTH)
    assert.match(answer.body, /^x+$/)
  },
}

const call = (name: string, value: string) =>
  `<?xml version="1.0"?><methodCall><methodName>${name}</methodName><params><param><value>${value}</value></param></params></methodCall>`

const xmlrpc: Work = {
  name: 'xmlrpc',
  title: 'XML-RPC call, int → string',
  method: 'POST',
  path: '/service',
  headers: { 'Content-Type': 'text/xml' },
  body: call('test.battingOrder', '<int>4</int>'),
  status: 200,
  connections: 16,
  rate: 2000,
  baseline: 'propylon',
  check(answer) {
    isOfType(answer, /^(?:text|application)\/xml/)
    assert.match(answer.body, /<methodResponse>\s*<params>\s*<param>\s*<value>(?:<string>)?Georgia</)
  },
}

const xmlrpcUsers: Work = {
  name: 'xmlrpc-users',
  title: 'XML-RPC call, 20 structs both ways',
  method: 'POST',
  path: '/service',
  headers: { 'Content-Type': 'text/xml' },
  body: call(
    'test.echo',
    `<array><data>${users
      .map(
        (user) =>
          `<value><struct>${Object.entries(user)
            .map(
              ([name, value]) =>
                `<member><name>${name}</name><value><string>${value.replaceAll('&', '&amp;')}</string></value></member>`,
            )
            .join('')}</struct></value>`,
      )
      .join('')}</data></array>`,
  ),
  status: 200,
  connections: 16,
  rate: 2000,
  baseline: 'propylon',
  check(answer) {
    isOfType(answer, /^(?:text|application)\/xml/)
    assert.equal(answer.body.match(/<struct>/g)?.length, 20)
    assert.equal(answer.body.match(/<name>full_name<\/name>/g)?.length, 20)
    assert.match(answer.body, /J(?:ö|&#246;|&#xF6;)rg O(?:’|&#8217;|&#x2019;)Neill &(?:amp|#38|#x26); Sons/)
  },
}

export const works: readonly Work[] = [
  hello,
  userJson,
  userList,
  form,
  missing('unrouted', '404: no route', '/wp-includes/js/jquery/jquery.js'),
  missing('missing', '404: the action finds no user', '/users/nobody'),
  streamed,
  xmlrpc,
  xmlrpcUsers,
]
