/** Random requests made from a document of the kitchen, whose tables are in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FrameworkApp } from 'propylon'
import { assertAnswersAsDocumented } from '../app/openapi/random-requests.ts'
import { kitchen } from './kitchen.ts'

process.env.NODE_ENV = 'test'
const KITCHEN = pathToFileURL(`${kitchen()}/`)
const load = (file: string) => import(new URL(file, KITCHEN).href)

test('the kitchen answers random requests as its document says', async () => {
  await load('tests/database.ts')
  const { map } = await load('config/routing.ts')
  const { session } = await load('config/session.ts')
  const { database } = await load('config/database.ts')
  const app = new FrameworkApp({
    map,
    session,
    controllers: new URL('controllers/', KITCHEN),
    templates: new URL('templates/', KITCHEN),
    logger: { info() {}, warn() {}, error() {} },
    openapi: { title: 'Kitchen', version: '1.0.0' },
  })
  const { valid, succeeded } = await assertAnswersAsDocumented({
    document: JSON.parse(JSON.stringify(await app.openapi())),
    send: (request) => app.fetch(request),
    // A title is unique, and white space is removed from texts before their length is checked.
    isBeyondSchema: ({ status, errors }) =>
      status === 409 || (status === 400 && errors.every(({ detail }) => detail === 'must not be empty')),
  })
  await database.destroy()
  assert.ok(valid > 50, `only ${valid} requests were valid`)
  assert.deepEqual(
    [...succeeded].sort(),
    ['create', 'delete', 'index', 'show', 'update'].map((action) => `recipes_${action}`),
  )
})
