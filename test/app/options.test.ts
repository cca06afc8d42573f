import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { body } from 'propylon/converters'
import { cached, MemoryCache, redisCache, validate } from 'propylon/decorators'
import { channel } from 'propylon/events'
import { toFetch } from 'propylon/fetch'
import { staticFiles } from 'propylon/files'
import { cors, limitFailures, secureHeaders } from 'propylon/middleware'
import { forwardTo, serve, toListener } from 'propylon/node'
import { kyselyStore, memoryStore, redisStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'
import { XMLRPCClient } from 'propylon/xmlrpc'
import * as v from 'valibot'

describe('an unknown option of FrameworkApp', () => {
  for (const [name, message] of [
    ['hots', /^FrameworkApp has no option "hots"\. Did you mean hosts\?$/],
    ['crossSites', /Did you mean crossSite\?/],
    ['toString', /has no option "toString"\. Its options are map, controllers, /],
  ] as const) {
    it(`is refused: ${name}`, () => {
      const options = { map: new Mapper(), controllers: {}, [name]: [] }
      assert.throws(() => new FrameworkApp(options), { name: 'TypeError', message })
    })
  }
})

describe('the option mcp', () => {
  for (const mcp of [false, null, true, []]) {
    it(`refuses ${JSON.stringify(mcp)}`, () => {
      // Not in the type.
      const options = { map: new Mapper(), controllers: {}, mcp: mcp as unknown as object }
      assert.throws(() => new FrameworkApp(options), { name: 'TypeError', message: /^FrameworkApp: mcp is / })
    })
  }
})

describe('an unknown option', () => {
  const app = (name: string, options: object) =>
    new FrameworkApp({ map: new Mapper(), controllers: {}, [name]: options })
  const api = { title: 'Books', version: '1.0.0' }
  for (const [place, create, message] of [
    ['openapi', () => app('openapi', { ...api, securty: [] }), /openapi \}\) has no option "securty"\. .*security\?/],
    ['public', () => app('public', { directory: '.', prefx: '/a' }), /public \}\) has no option "prefx"\. .*prefix\?/],
    ['Mapper', () => new Mapper(Object({ prefx: '/a' })), /^Mapper has no option "prefx"\. Did you mean prefix\?/],
    ['body()', () => body(v.object({}), Object({ fomr: 'new' })), /^body\(\) has no option "fomr"\. .*form\?/],
  ] as const) {
    it(`of ${place} is refused`, () => {
      assert.throws(create, { name: 'TypeError', message })
    })
  }

  const page = () => []
  const redis = { get() {}, set() {}, del() {}, eval() {}, sendCommand() {} }
  const url = 'http://localhost/'
  const factories: readonly (readonly [place: string, misspelt: string, meant: string, create: Create])[] = [
    ['serve()', 'prot', 'port', (options) => serve(page, options)],
    ['serve()', 'trustproxy', 'trustProxy', (options) => serve(page, options)],
    ['toListener()', 'max_requests', 'maxRequests', (options) => toListener(page, options)],
    ['toFetch()', 'trustProxies', 'trustProxy', (options) => toFetch(page, options)],
    ['forwardTo()', 'timeOut', 'timeout', (options) => forwardTo(url, options)],
    ['staticFiles()', 'max_age', 'maxAge', (options) => staticFiles('docs', options)],
    ['memoryStore()', 'entires', 'entries', (options) => memoryStore(options)],
    ['redisStore()', 'prefx', 'prefix', (options) => redisStore(Object(redis), options)],
    ['kyselyStore()', 'tabel', 'table', (options) => kyselyStore(Object({}), options)],
    ['channel()', 'rediss', 'redis', (options) => channel('news', options)],
    ['cached()', 'expire', 'expires', (options) => cached({ expires: 1, ...options })],
    ['MemoryCache', 'byte', 'bytes', (options) => new MemoryCache(options)],
    ['redisCache()', 'prefx', 'prefix', (options) => redisCache(Object(redis), options)],
    ['TestApp', 'baseURL', 'baseUrl', (options) => new TestApp(page, options)],
    ['XMLRPCClient', 'allownil', 'allowNil', (options) => new XMLRPCClient(url, options)],
    ['XMLRPCClient', 'timout', 'timeout', (options) => new XMLRPCClient(url, options)],
    ['validate()', 'list', 'lists', (options) => validate(v.object({}), Object(options))],
    ['body(): files.photo', 'maxsize', 'maxSize', (options) => body(v.object({}), { files: { photo: options } })],
    ['cors()', 'origin', 'origins', (options) => cors({ origins: [], ...options })],
    ['secureHeaders()', 'hst', 'hsts', (options) => secureHeaders(options)],
    ['limitFailures()', 'windw', 'window', (options) => limitFailures({ max: 1, window: 1, ...options })],
  ]
  for (const [place, misspelt, meant, create] of factories) {
    it(`of ${place} is refused: ${misspelt}`, async () => {
      const message = `${place} has no option "${misspelt}". Did you mean ${meant}?`
      await assert.rejects(async () => create({ [misspelt]: 1 }), { name: 'TypeError', message })
    })
  }
})

type Create = (options: object) => unknown
