import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'

test('an unknown URL is not found', async () => {
  const browser = new TestApp(app, { errors: 'page', headers: { accept: 'text/html' } })
  assert.match((await browser.get('/nowhere')).text, /<h1>We lost this page<\/h1>/)
})
