/** Values of bodies and arguments that schemas of several libraries refuse, or return. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

/** A schema by hand that fails for anything without members. */
const Careless: StandardSchemaV1<{ text: string }> = {
  '~standard': {
    version: 1,
    vendor: 'hand',
    validate: (value) => ({ value: { text: String((value as { text: unknown }).text) } }),
  },
}

const shownType = (value: unknown) => (value === null ? 'null' : typeof value)
const Shown = v.object({ type: v.string() })
const Price = type({ price: 'number' })

class ValuesController extends WSGIController {
  static args = {
    note: { note: body(v.nullable(v.string())) },
    destructured: { note: body(v.nullable(v.string())) },
    query: { q: v.nullish(v.string(), null) },
    price: { price: body(Price) },
    range: {
      range: body(
        type({ from: 'number', to: 'number' }).narrow(
          (range, context) => range.from < range.to || context.mustBe('in order'),
        ),
        { form: 'form' },
      ),
    },
    options: { options: body(type({ size: 'number = 1' })) },
    options_of_valibot: {
      options: body(
        v.variant('kind', [v.object({ kind: v.optional(v.literal('a')), size: v.optional(v.number(), 1) })]),
      ),
    },
    list: { list: body(v.union([v.array(v.number()), v.object({})])) },
    careless: { sent: body(Careless) },
  }
  static results = { note: Shown, destructured: Shown, query: Shown, price: Price, careless: Careless }
  note(note: string | null = 'default') {
    return { type: shownType(note) }
  }
  destructured({ note = 'default' }: { note: string | null }) {
    return { type: shownType(note) }
  }
  query(q: string | null = 'default') {
    return { type: shownType(q) }
  }
  price(price: { price: number }) {
    return price
  }
  form() {
    return JSON.stringify(this.c.formErrors)
  }
  range(range: object) {
    return range
  }
  options(options: { size: number }) {
    return { size: options.size }
  }
  options_of_valibot(options: { size: number }) {
    return { size: options.size }
  }
  list(list: number[] | object) {
    return { length: Object.keys(list).length }
  }
  careless(sent: { text: string }) {
    return sent
  }
}

const client = new TestApp(
  new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'values' }).connect('/api/careless', {
      controller: 'values',
      action: 'careless',
      conditions: { method: 'POST' },
    }),
    controllers: { values: ValuesController },
    openapi: { title: 'Values', version: '1' },
  }),
)
const PROGRAM = { headers: { Accept: 'application/json' } }

async function errorsOf(path: string, sent: string): Promise<unknown> {
  const headers = { ...PROGRAM.headers, 'Content-Type': 'application/json' }
  const response = await client.post(path, sent, { headers })
  assert.equal(response.status, 400)
  return response.json<{ errors: unknown }>().errors
}

describe('null of a schema', () => {
  it('is the argument, not a missing one', async () => {
    assert.deepEqual((await client.postJson('/note', null)).json(), { type: 'null' })
    assert.deepEqual((await client.postJson('/destructured', null)).json(), { type: 'null' })
    assert.deepEqual((await client.get('/query')).json(), { type: 'null' })
    assert.deepEqual((await client.get('/query?q=tea')).json(), { type: 'string' })
  })
})

describe('a number beyond the range of doubles', () => {
  it('is refused before the action, because no result could have it', async () => {
    const errors = [{ name: 'price', detail: 'must be a decimal number' }]
    assert.deepEqual(await errorsOf('/price', '{"price":1e400}'), errors)
  })
})

describe('an array for a schema of objects', () => {
  it('is refused, although the library accepts it', async () => {
    const headers = { ...PROGRAM.headers, 'Content-Type': 'application/json' }
    for (const path of ['/options', '/options-of-valibot']) {
      const detail = 'The JSON of the request must be an object with a member for each field.'
      assert.deepEqual(await errorsOf(path, '[]'), [{ name: '', detail }])
      assert.deepEqual((await client.post(path, '{}', { headers })).json(), { size: 1 })
    }
    assert.deepEqual((await client.post('/list', '[1]', { headers })).json(), { length: 1 })
  })
})

describe('an issue of ArkType about the value as a whole', () => {
  it('has no name', async () => {
    const [error] = (await errorsOf('/price', 'null')) as { name: string }[]
    assert.equal(error?.name, '')
  })

  it('is an error of the form as a whole', async () => {
    const response = await client.postJson('/range', { from: 2, to: 1 }, { headers: { Accept: 'text/html' } })
    assert.deepEqual(Object.keys(response.json<object>()), [''])
  })
})

describe('a schema that throws for undefined', () => {
  it('receives an empty form if there is no body', async () => {
    assert.deepEqual((await client.post('/careless', undefined, PROGRAM)).json(), { text: 'undefined' })
  })

  it('has a required body in the document', async () => {
    const { paths } = (await client.get('/openapi.json')).json<{
      paths: Record<string, { post: { requestBody: { required: boolean } } }>
    }>()
    assert.equal(paths['/api/careless']?.post.requestBody.required, true)
  })
})
