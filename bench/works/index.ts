/** The works, in the order of the tables. */
import assert from 'node:assert/strict'
import { formOfUser, STREAM_LENGTH, users } from './data.ts'
import { type Answer, saturated, type Work } from './work.ts'

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

const hello: Work = {
  name: 'hello',
  title: 'Hello text',
  method: 'GET',
  path: '/hello/index',
  status: 200,
  connections: 32,
  rate: 10_000,
  check(answer) {
    isOfType(answer, TEXT)
    isWhole(answer)
    assert.equal(answer.body, 'Hello World')
  },
}

const userJson: Work = {
  name: 'user-json',
  title: 'JSON of one user among 50 routes',
  method: 'GET',
  path: '/users/user7',
  status: 200,
  connections: 32,
  rate: 10_000,
  check(answer) {
    isOfType(answer, JSON_TYPE)
    isWhole(answer)
    assert.deepEqual(JSON.parse(answer.body), users[6])
  },
}

const userList: Work = {
  name: 'user-list',
  title: 'HTML list of 20 users (Eta)',
  method: 'GET',
  path: '/users',
  headers: { Accept: 'text/html,*/*;q=0.8' },
  status: 200,
  connections: 32,
  rate: 10_000,
  check(answer) {
    isOfType(answer, HTML)
    isWhole(answer)
    assert.equal(answer.body.match(/<li>/g)?.length, 20)
    assert.match(answer.body, /<h1>Users \(20\)<\/h1>/)
    assert.match(answer.body, /<strong>Jörg O’Neill &amp; Sons<\/strong><\/a> <user10@example\.org>/)
  },
}

const form: Work = {
  name: 'form',
  title: 'Urlencoded form, validated, 201',
  method: 'POST',
  path: '/users',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: formOfUser,
  status: 201,
  connections: 32,
  rate: 10_000,
  check(answer) {
    isOfType(answer, TEXT)
    isWhole(answer)
    assert.equal(answer.headers.get('location'), '/users/joe')
    assert.equal(answer.body, 'Created joe')
  },
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

const pages = [hello, userJson, userList, form]

export const works: readonly Work[] = [...pages, streamed, xmlrpc, xmlrpcUsers, ...pages.map(saturated)]
