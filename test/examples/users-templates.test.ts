/** The pages of the users, in development. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { FrameworkApp } from 'propylon'
import { TestApp } from 'propylon/testing'

process.env.NODE_ENV = 'development'
const USERS = new URL('../../examples/users/', import.meta.url)
// Other tests of the process may have created the usual ones.
const ANN = {
  name: 'templates',
  full_name: 'Ann Example',
  email: 'templates@example.org',
  password: 'correct horse',
}

test('the pages of the users read no member of a template that does not exist', async () => {
  await import(new URL('tests/functional/database.ts', USERS).href)
  const { default: app }: { default: FrameworkApp } = await import(new URL('app.ts', USERS).href)
  const warn = mock.method(console, 'warn', () => {})
  const browser = new TestApp(app, { errors: 'page', headers: { accept: 'text/html' } })
  const statuses = [
    await browser.get('/'),
    await browser.post('/users', ANN),
    await browser.post('/users', ANN),
    await browser.post('/users', {}),
    await browser.put('/users/templates', {}),
    await browser.get('/users'),
    await browser.get('/users/new'),
    await browser.get('/users/templates'),
    await browser.get('/users/templates/edit'),
    await browser.get('/users/nobody'),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [200, 201, 409, 400, 400, 200, 200, 200, 200, 404])
  assert.deepEqual(
    warn.mock.calls.map(({ arguments: [message] }) => message),
    [],
  )
})
