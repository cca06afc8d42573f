import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from './project/app.ts'

/** Headers of a browser, and of a program. */
const PAGE = { headers: { accept: 'text/html' } }
const JSON_ONLY = { headers: { accept: 'application/json' } }

/** Creates an item and returns its path. */
async function create(name: string): Promise<string> {
  const response = await new TestApp(app).postJson('/area/things', { name }, JSON_ONLY)
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
    const response = await client.get('/area/things', PAGE)
    assert.equal(response.status, 200)
    assert.ok(response.text.includes(`href="${path}"`))
    assert.ok(response.text.includes('&lt;listed&gt;'), 'names are escaped')
  })

  for (const [path, options] of [
    ['/area/things.json', PAGE],
    ['/area/things', JSON_ONLY],
  ] as const) {
    test(`index lists them as JSON at ${path}`, async () => {
      await create('in JSON')
      const response = await client.get(path, options)
      assert.equal(response.status, 200)
      assert.ok(response.json<{ name: string }[]>().some(({ name }) => name === 'in JSON'))
    })
  }

  test('create answers the form of a browser with 303', async () => {
    const form = (await client.get('/area/things/new', PAGE)).form()
    const response = await form.set('name', 'created').submit()
    assert.equal(response.status, 303)
    const location = response.headers.get('location')
    assert.ok(location)
    assert.equal(await nameAt(new URL(location, 'http://localhost').pathname), 'created')
  })

  test('create answers JSON with 201, the new URL and the item', async () => {
    const response = await client.postJson('/area/things', { name: 'sent' })
    assert.equal(response.status, 201)
    assert.ok(response.headers.get('location')?.includes('/area/things/'))
    assert.equal(response.json<{ name: string }>().name, 'sent')
  })

  test('create shows the form again without a name, and creates nothing', async () => {
    const before = (await client.get('/area/things.json')).text
    const response = await client.post('/area/things', { name: ' ' }, PAGE)
    assert.equal(response.status, 400)
    assert.equal(response.html.find('#name-error')?.text, 'must not be empty')
    assert.equal((await client.get('/area/things.json')).text, before)
  })

  test('create shows what was typed beside the message', async () => {
    const name = 'x'.repeat(201)
    const response = await client.post('/area/things', { name }, PAGE)
    assert.equal(response.form().get('name'), name)
    assert.match(response.html.find('#name-error')?.text ?? '', /200/)
  })

  test('create answers JSON without a name with the errors by field', async () => {
    const response = await client.postJson('/area/things', { name: 1 }, JSON_ONLY)
    assert.equal(response.status, 400)
    const { errors } = response.json<{ errors: unknown }>()
    assert.deepEqual(errors, [{ name: 'name', detail: 'must be text' }])
  })

  test('new shows an empty form', async () => {
    const response = await client.get('/area/things/new', PAGE)
    assert.equal(response.status, 200)
    assert.ok(response.text.includes('action="/area/things"'))
    assert.equal(response.form().get('name'), '')
  })

  test('new returns empty fields as JSON', async () => {
    const response = await client.get('/area/things/new.json')
    assert.deepEqual(response.json(), { name: '' })
  })

  test('update changes it with PUT', async () => {
    const path = await create('before')
    const response = await client.put(path, { name: 'after' }, JSON_ONLY)
    assert.equal(response.status, 200)
    assert.equal(response.json<{ name: string }>().name, 'after')
    assert.equal(await nameAt(path), 'after')
  })

  test('update answers the form of a browser with 303', async () => {
    const path = await create('before')
    const form = (await client.get(`${path};edit`, PAGE)).form()
    assert.equal(form.get('name'), 'before')
    const response = await form.set('name', 'after').submit()
    assert.equal(response.status, 303)
    assert.equal(await nameAt(path), 'after')
  })

  test('update shows the form again without a name', async () => {
    const path = await create('kept')
    const response = await client.post(path, { _method: 'PUT', name: '' }, PAGE)
    assert.equal(response.status, 400)
    assert.equal(response.html.find('#name-error')?.text, 'must not be empty')
    assert.equal(await nameAt(path), 'kept')
  })

  test('delete removes it with DELETE', async () => {
    const path = await create('to go')
    const response = await client.delete(path, JSON_ONLY)
    assert.equal(response.status, 204)
    assert.equal(response.text, '')
    assert.equal((await client.get(path)).status, 404)
  })

  test('delete answers the form of a browser with 303', async () => {
    const path = await create('to go')
    const response = await (await client.get(path, PAGE)).form().submit()
    assert.equal(response.status, 303)
    assert.equal((await client.get(path)).status, 404)
  })

  test('show shows one as a page', async () => {
    const response = await client.get(await create('shown'), PAGE)
    assert.equal(response.status, 200)
    assert.ok(response.text.includes('<h1>shown</h1>'))
  })

  test('show returns one as JSON', async () => {
    assert.equal(await nameAt(await create('shown')), 'shown')
  })

  test('edit shows a form with the current values', async () => {
    const path = await create('"held"')
    const response = await client.get(`${path};edit`, PAGE)
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
