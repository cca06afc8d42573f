import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from './project/app.ts'

test('the index of area/things is served', async () => {
  const response = await new TestApp(app).get('/area/things')
  assert.equal(response.status, 200)
  assert.match(response.text, /Hello World/)
})
