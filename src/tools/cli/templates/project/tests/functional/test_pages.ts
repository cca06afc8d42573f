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

test('an unknown URL shows templates/errors/404.eta', async () => {
  // The page of production. In debug mode the page lists the routes instead.
  const browser = new TestApp(app, { errors: 'page', headers: { accept: 'text/html' } })
  const response = await browser.get('/nowhere')
  assert.equal(response.status, 404)
  assert.match(response.text, /<h1>Not found<\/h1>/)
})
