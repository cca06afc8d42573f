import './database.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'

const client = new TestApp(app)

describe('the home page', () => {
  test('links to the other pages, and no link is broken', async () => {
    const page = await client.get('/')
    assert.equal(page.status, 200)
    const links = [...page.text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, link = '']) => link)
    for (const path of ['/users', '/users/new', '/users.json', '/hello', '/hello/greet/World']) {
      assert.ok(links.includes(path), path)
    }
    for (const link of links) assert.equal((await client.get(link)).status, 200, link)
  })

  test('has a page of this site for a path that leads nowhere', async () => {
    const page = await client.get('/nowhere', { headers: { accept: 'text/html' } })
    assert.equal(page.status, 404)
    page.mustContain('404 Not Found', 'href="/users"')
  })

  test('links to a stylesheet that browsers can cache', async () => {
    const [, path = ''] = (await client.get('/')).text.match(/rel="stylesheet" href="([^"]+)"/) ?? []
    const style = await client.get(path)
    assert.equal(style.contentType, 'text/css')
    assert.match(style.headers.get('cache-control') ?? '', /immutable/)
    assert.equal((await client.get('/style.css')).headers.get('cache-control'), 'no-cache')
  })

  test('forbids scripts and frames in its Content-Security-Policy', async () => {
    const policy = (await client.get('/')).headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
  })
})
