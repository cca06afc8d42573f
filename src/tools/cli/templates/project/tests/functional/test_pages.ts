import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'

test('the home page has a heading', async () => {
  const page = await new TestApp(app).get('/', { status: 200 })
  assert.match(page.text, /<h1>Welcome<\/h1>/)
})

test('the style sheet is served from public/', async () => {
  const { headers } = await new TestApp(app).get(app.asset('style.css'), { status: 200 })
  assert.match(headers.get('content-type') ?? '', /^text\/css/)
})

test('an unknown URL shows templates/error.eta', async () => {
  // The page of production. In debug mode the page lists the routes instead.
  const browser = new TestApp(app, { errors: 'page', headers: { accept: 'text/html' } })
  const page = await browser.get('/nowhere', { status: 404 })
  assert.match(page.text, /<h1>Not found<\/h1>/)
})
