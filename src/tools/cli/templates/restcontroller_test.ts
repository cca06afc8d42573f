import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from './project/app.ts'
import { make } from './resource/factory.ts'

/** Headers of a browser, and of a program. */
const PAGE = { headers: { accept: 'text/html' } }
const JSON_ONLY = { headers: { accept: 'application/json' } }

/** The fields of an item in JSON, and as they are typed into the form. */
const SENT = { title: 'A line' }
const TYPED = { title: 'A line', ...{} }

/** Wrong values: what is typed, and what is sent as JSON. */
const WRONG: [field: string, typed: string, sent: unknown][] = [
  ['title', 'x'.repeat(201), 1], // The first of several.
]

/** The fields that may be left out. */
const OPTIONAL: readonly string[] = []

const required = Object.fromEntries(Object.entries(SENT).filter(([name]) => !OPTIONAL.includes(name)))
const empty = Object.fromEntries(OPTIONAL.map((name) => [name, null]))

/** Returns a client that may change things. */
async function visitor(): Promise<TestApp> {
  return new TestApp(app)
}

function pathOf(location: string | null): string {
  assert.ok(location)
  return new URL(location, 'http://localhost').pathname
}

/** Creates an item and returns its path. */
async function create(client: TestApp, fields: object = SENT): Promise<string> {
  const response = await client.postJson('/area/things', fields, JSON_ONLY)
  assert.equal(response.status, 201)
  return pathOf(response.headers.get('location'))
}

/** Returns the fields of an item. */
async function fieldsAt(client: TestApp, path: string): Promise<unknown> {
  const { id, ...fields } = (await client.get(path, JSON_ONLY)).json<{ id: string }>()
  assert.equal(path, `/area/things/${id}`)
  return fields
}

describe('area/things', () => {
  test('index lists links to the items', async () => {
    const client = await visitor()
    const path = await create(client)
    const response = await client.get('/area/things', PAGE)
    assert.equal(response.status, 200)
    assert.ok(response.html.findAll('a').some((link) => link.attribute('href') === path))
  })

  test('index has twenty items to a page, and links to the next one', async () => {
    const client = await visitor()
    for (let item = 0; item < 21; item++) await make()
    const response = await client.get('/area/things.json')
    assert.equal(response.json<object[]>().length, 20)
    assert.match(response.headers.get('link') ?? '', /page=2>; rel="next"/)
    const next = await (await client.get('/area/things', PAGE)).click('Next')
    assert.equal(next.status, 200)
    assert.equal((await client.get('/area/things?page=1000')).status, 404)
  })

  test('create answers JSON with 201, the new URL and the item', async () => {
    const client = await visitor()
    const response = await client.postJson('/area/things', SENT, JSON_ONLY)
    assert.equal(response.status, 201)
    const { id, ...fields } = response.json<{ id: string }>()
    assert.equal(pathOf(response.headers.get('location')), `/area/things/${id}`)
    assert.deepEqual(fields, SENT)
  })

  test('create answers the form of a browser with 303', async () => {
    const client = await visitor()
    const form = (await client.get('/area/things/new', PAGE)).form('/area/things')
    const response = await form.fill(TYPED).submit()
    assert.equal(response.status, 303)
    assert.deepEqual(await fieldsAt(client, pathOf(response.headers.get('location'))), SENT)
  })

  test('create takes an item without its optional fields, which are null', async () => {
    const client = await visitor()
    assert.deepEqual(await fieldsAt(client, await create(client, required)), { ...required, ...empty })
  })

  test('create takes empty texts of a form for fields that are left out', async () => {
    const client = await visitor()
    const typed = { ...TYPED, ...Object.fromEntries(OPTIONAL.map((name) => [name, ''])) }
    const response = await client.post('/area/things', typed, PAGE)
    const path = pathOf(response.headers.get('location'))
    assert.deepEqual(await fieldsAt(client, path), { ...required, ...empty })
  })

  for (const [name, typed, sent] of WRONG) {
    test(`create shows the form again with a message beside a wrong ${name}`, async () => {
      const client = await visitor()
      const before = (await client.get('/area/things.json')).text
      const page = await client.post('/area/things', { ...TYPED, [name]: typed }, PAGE)
      assert.equal(page.status, 400)
      assert.ok(page.html.find(`#${name}-error`))
      if (name === 'title') assert.equal(page.form('/area/things').get(name), typed)
      assert.equal((await client.get('/area/things.json')).text, before)
    })

    test(`create and update refuse JSON with a wrong ${name}`, async () => {
      const client = await visitor()
      const path = await create(client)
      const wrong = { ...SENT, [name]: sent }
      for (const response of [
        await client.postJson('/area/things', wrong, JSON_ONLY),
        await client.putJson(path, wrong, JSON_ONLY),
      ]) {
        assert.equal(response.status, 400)
        assert.equal(response.json<{ errors: { name: string }[] }>().errors[0]?.name, name)
      }
      assert.deepEqual(await fieldsAt(client, path), SENT)
    })
  }

  test('new shows an empty form', async () => {
    const client = await visitor()
    const form = (await client.get('/area/things/new', PAGE)).form('/area/things')
    assert.deepEqual(form.fields, Object.keys(SENT))
  })

  test('show has a page', async () => {
    const client = await visitor()
    const response = await client.get(await create(client), PAGE)
    assert.equal(response.status, 200)
    assert.ok(response.html.find('h1')?.text)
  })

  test('show returns JSON', async () => {
    const client = await visitor()
    const response = await client.get(`${await create(client)}.json`)
    assert.deepEqual({ ...response.json<object>(), id: '' }, { ...SENT, id: '' })
  })

  test('update changes the item with PUT', async () => {
    const client = await visitor()
    const path = await create(client)
    const response = await client.putJson(path, SENT, JSON_ONLY)
    assert.equal(response.status, 200)
    assert.deepEqual(await fieldsAt(client, path), SENT)
  })

  test('update answers the form of a browser with 303', async () => {
    const client = await visitor()
    const path = await create(client)
    const page = await (await client.get(path, PAGE)).click('Edit')
    const response = await page.form(path).submit()
    assert.equal(response.status, 303)
    assert.deepEqual(await fieldsAt(client, path), SENT)
  })

  test('delete removes the item', async () => {
    const client = await visitor()
    const path = await create(client)
    assert.equal((await client.delete(path, JSON_ONLY)).status, 204)
    assert.equal((await client.get(path)).status, 404)
  })

  test('delete answers the form of a browser with 303', async () => {
    const client = await visitor()
    const path = await create(client)
    assert.equal((await (await client.get(path, PAGE)).form(path).submit()).status, 303)
    assert.equal((await client.get(path)).status, 404)
  })

  const missing = '/area/things/none'
  for (const [action, request] of Object.entries({
    show: (client: TestApp) => client.get(missing, JSON_ONLY),
    edit: (client: TestApp) => client.get(`${missing}/edit`, JSON_ONLY),
    update: (client: TestApp) => client.putJson(missing, SENT, JSON_ONLY),
    delete: (client: TestApp) => client.delete(missing, JSON_ONLY),
  })) {
    test(`${action} of a missing item is 404`, async () => {
      assert.equal((await request(await visitor())).status, 404)
    })
  }
  // GUARD_TEST
})
