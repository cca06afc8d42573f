import './database.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'

const client = new TestApp(app)

describe('hello', () => {
  for (const path of ['/hello', '/hello/index']) {
    test(`returns Hello World at ${path}`, async () => {
      assert.equal((await client.get(path)).text, 'Hello World')
    })
  }

  test('shows a page to browsers', async () => {
    const response = await client.get('/hello', { headers: { Accept: 'text/html' } })
    assert.equal(response.contentType, 'text/html')
    response.mustContain('<h1>Hello World</h1>', '<title>Hello')
    assert.match(response.headers.get('vary') ?? '', /accept/i)
  })

  for (const [path, name] of [
    ['/hello/greet/Joe', 'Joe'],
    ['/hello/greet/Jo%C3%ABl%20%F0%9D%84%9E', 'Joël 𝄞'],
    ['/hello/greet/%3Cb%3E', '<b>'],
  ] as const) {
    test(`returns a plain text greeting at ${path}`, async () => {
      const response = await client.get(path)
      assert.equal(response.contentType, 'text/plain')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(response.text, `Hello, ${name}!`)
    })
  }

  test('returns 404 if the name is missing', async () => {
    const response = await client.get('/hello/greet')
    assert.equal(response.status, 404)
    response.mustContain('The name is missing').mustNotContain('undefined')
  })

  for (const name of [
    '_secret',
    '-secret',
    'constructor',
    'toString',
    '__proto__',
    'render',
    'json',
    'request',
    '_form',
    '_refuse',
    '__before__',
    '__call__',
    'nothing',
  ]) {
    test(`has no action ${name}`, async () => {
      assert.equal((await client.get(`/hello/${name}`)).status, 404)
      assert.equal((await client.get(`/hello/${name}/1`)).status, 404)
    })
  }
})
