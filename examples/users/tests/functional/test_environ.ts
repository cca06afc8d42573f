import './database.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'

const client = new TestApp(app)

describe('environ', () => {
  for (const [path, pathInfo] of [
    ['/environ/', '/'],
    ['/environ/a/b', '/a/b'],
    ['/environ/a%20b%2Fc/%C3%A9', '/a b/c/é'],
    ['/environ//a//', '//a//'],
  ] as const) {
    test(`moves the prefix of ${path} into SCRIPT_NAME`, async () => {
      const shown = (await client.get(`${path}?x=1&y`)).json<Record<string, string>>()
      assert.equal(shown.SCRIPT_NAME, '/environ')
      assert.equal(shown.PATH_INFO, pathInfo)
      assert.equal(shown.QUERY_STRING, 'x=1&y')
    })
  }

  test('shows the variables of the request and none of the server', async () => {
    const headers = { 'x-test': 'yes' }
    const response = await client.post('/environ/x', { a: 'b' }, { headers })
    assert.equal(response.contentType, 'application/json')
    const shown = response.json<Record<string, string>>()
    assert.equal(shown.REQUEST_METHOD, 'POST')
    assert.equal(shown.CONTENT_TYPE, 'application/x-www-form-urlencoded')
    assert.equal(shown.CONTENT_LENGTH, '3')
    assert.equal(shown.HTTP_X_TEST, 'yes')
    const known = /^(SCRIPT_NAME|PATH_INFO|QUERY_STRING|REQUEST_METHOD|CONTENT_TYPE|CONTENT_LENGTH|HTTP_[A-Z_]+)$/
    for (const key of Object.keys(shown)) assert.match(key, known)
  })
})
