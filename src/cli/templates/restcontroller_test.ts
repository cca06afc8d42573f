import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from './project/app.ts'

/** Creates an item and returns its path. */
async function create(name: string): Promise<string> {
  const response = await new TestApp(app).post('/area/things', { name })
  assert.equal(response.status, 201)
  const location = response.headers.get('location')
  assert.ok(location)
  return new URL(location, 'http://localhost').pathname
}

async function nameAt(path: string): Promise<string> {
  const response = await new TestApp(app).get(`${path}.json`)
  assert.equal(response.status, 200)
  return response.json<{ name: string }>().name
}

describe('area/things', () => {
  const client = new TestApp(app)

  test('index lists them as a page', async () => {
    const path = await create('<listed>')
    const response = await client.get('/area/things')
    assert.equal(response.status, 200)
    assert.ok(response.text.includes(`href="${path}"`))
    assert.ok(response.text.includes('&lt;listed&gt;'), 'names are escaped')
  })

  test('index lists them as JSON', async () => {
    await create('in JSON')
    const response = await client.get('/area/things.json')
    assert.equal(response.status, 200)
    assert.ok(response.json<{ name: string }[]>().some(({ name }) => name === 'in JSON'))
  })

  test('create responds with 201 and the new URL', async () => {
    const path = await create('created')
    assert.ok(path.startsWith('/area/things/'))
    assert.equal(await nameAt(path), 'created')
  })

  test('create responds with 400 without a name, and creates nothing', async () => {
    const before = (await client.get('/area/things.json')).text
    const response = await client.post('/area/things', { name: ' ' })
    assert.equal(response.status, 400)
    assert.equal((await client.get('/area/things.json')).text, before)
  })

  test('new shows an empty form', async () => {
    const response = await client.get('/area/things/new')
    assert.equal(response.status, 200)
    assert.ok(response.text.includes('action="/area/things"'))
  })

  test('new returns empty fields as JSON', async () => {
    const response = await client.get('/area/things/new.json')
    assert.deepEqual(response.json(), { name: '' })
  })

  test('update changes it with PUT', async () => {
    const path = await create('before')
    const response = await client.put(path, { name: 'after' })
    assert.equal(response.status, 200)
    assert.equal(response.text, '')
    assert.equal(await nameAt(path), 'after')
  })

  test('update changes it with POST and _method=PUT, as a browser does', async () => {
    const path = await create('before')
    const response = await client.post(path, { _method: 'PUT', name: 'after' })
    assert.equal(response.status, 200)
    assert.equal(await nameAt(path), 'after')
  })

  test('delete removes it with DELETE', async () => {
    const path = await create('to go')
    const response = await client.delete(path)
    assert.equal(response.status, 200)
    assert.equal(response.text, '')
    assert.equal((await client.get(path)).status, 404)
  })

  test('delete removes it with POST and _method=DELETE, as a browser does', async () => {
    const path = await create('to go')
    const response = await client.post(path, { _method: 'DELETE' })
    assert.equal(response.status, 200)
    assert.equal((await client.get(path)).status, 404)
  })

  test('show shows one as a page', async () => {
    const response = await client.get(await create('shown'))
    assert.equal(response.status, 200)
    assert.ok(response.text.includes('<h1>shown</h1>'))
  })

  test('show returns one as JSON', async () => {
    assert.equal(await nameAt(await create('shown')), 'shown')
  })

  test('edit shows a form with the current values', async () => {
    const path = await create('"held"')
    const response = await client.get(`${path};edit`)
    assert.equal(response.status, 200)
    assert.ok(response.text.includes('value="&quot;held&quot;"'))
  })

  test('edit returns the current values as JSON', async () => {
    const path = await create('held')
    const response = await client.get(`${path}/edit.json`)
    assert.equal(response.json<{ name: string }>().name, 'held')
  })

  test('a missing item is 404', async () => {
    const path = '/area/things/none'
    assert.equal((await client.get(path)).status, 404)
    assert.equal((await client.get(`${path};edit`)).status, 404)
    assert.equal((await client.put(path, { name: 'x' })).status, 404)
    assert.equal((await client.delete(path)).status, 404)
  })
})
