import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'

test('the home page has a heading', async () => {
  const response = await new TestApp(app).get('/')
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(response.text, /<h1>Welcome<\/h1>/)
})

test('the style sheet is served from public/', async () => {
  const response = await new TestApp(app).get(app.asset('style.css'))
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/css/)
})

test('an unknown URL is not found', async () => {
  const response = await new TestApp(app).get('/nowhere', { headers: { accept: 'text/html' } })
  assert.equal(response.status, 404)
  // In debug mode the page lists the routes; otherwise it is templates/errors/404.eta.
  assert.match(response.text, app.debug ? /No route matches GET \/nowhere/ : /<h1>Not found<\/h1>/)
})
