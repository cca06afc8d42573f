/** The argument that is the body of the request: `body()` in `static args`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

let conversions = 0
const Order = v.pipe(
  v.object({ name: v.pipe(v.string(), v.nonEmpty('is empty')), extras: v.optional(v.array(v.string()), []) }),
  v.transform((order) => {
    conversions += 1
    return order
  }),
)
type Order = v.InferOutput<typeof Order>
const order = body(Order, { form: 'form', lists: ['extras'] })
let seen: unknown[] = []

/** A schema that returns its input, as schemas of ArkType do. */
const AsSent: StandardSchemaV1<object> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as object }) },
}

class OrdersController extends WSGIController {
  static args = {
    __before__: { order },
    save: { order },
    taken: { order },
    other: { order: body(v.looseObject({})) },
    kept: { order: body(AsSent) },
    list: { items: body(v.array(v.number())) },
    named: { one: body(v.object({ name: v.string('is missing') }), { form: 'blank' }) },
  }
  static pages = { blank: 'blank' }
  __before__(order?: Order) {
    seen.push(order)
  }
  form() {
    return `form: ${JSON.stringify(this.c.formErrors)} ${JSON.stringify(this.c.formValues)}`
  }
  save(order: Order) {
    return { ...order }
  }
  taken(order: Order) {
    return invalid({ name: `${order.name} is taken` }, { status: 409 })
  }
  other(order: object) {
    return { ...order }
  }
  kept(order: object) {
    seen.push(order)
    return {}
  }
  blank() {}
  named(one: { name: string }) {
    return one.name
  }
  list(items: number[]) {
    return { sum: items.reduce((sum, item) => sum + item, 0) }
  }
}

const client = new TestApp(
  new FrameworkApp({
    map: new Mapper()
      .connect('/read', { controller: 'orders', action: 'save', conditions: { method: ['GET', 'POST'] } })
      .connect('/{action}', { controller: 'orders' }),
    controllers: { orders: OrdersController },
    templates: { blank: '<%= it.c.formErrors.name %>' },
  }),
)
const PROGRAM = { headers: { Accept: 'application/json' } }
const BROWSER = { headers: { Accept: 'text/html' } }

describe('body()', () => {
  it('gives the fields of a form as an object without a prototype if the schema returns its input', async () => {
    seen = []
    await client.post('/kept', { name: 'tea' }, PROGRAM)
    assert.deepEqual(seen.pop(), Object.assign(Object.create(null), { name: 'tea' }))
  })

  it('gives a hook with the same declaration the same value, converted once', async () => {
    seen = []
    conversions = 0
    const response = await client.postJson('/save', { name: 'tea' }, PROGRAM)
    assert.deepEqual(response.json(), { name: 'tea', extras: [] })
    assert.deepEqual([seen, conversions], [[{ name: 'tea', extras: [] }], 1])
  })

  it('gives the hook undefined for an action with another body or none', async () => {
    seen = []
    await client.postJson('/other', { name: 1 })
    await client.get('/form')
    assert.deepEqual(seen, [undefined, undefined])
  })

  it('answers an invalid body that a hook takes before the hook, without a page', async () => {
    seen = []
    const response = await client.post('/save', { name: '' }, BROWSER)
    assert.equal(response.status, 400)
    assert.doesNotMatch(response.text, /^form/)
    assert.deepEqual(seen, [])
  })

  it('shows the form again for errors that the action finds', async () => {
    const response = await client.post('/taken', { name: 'tea' }, BROWSER)
    assert.equal(response.status, 409)
    assert.match(response.text, /"name":\["tea is taken"\].*"name":"tea"/)
  })

  it('shows the page of a form method that returns nothing', async () => {
    const response = await client.post('/named', { name: 'tea' }, BROWSER)
    assert.equal(response.text, 'tea')
    const refused = await client.postJson('/named', { name: 1 }, BROWSER)
    assert.deepEqual([refused.status, refused.text], [400, 'is missing'])
  })

  it('gives a list all values of its field, and other fields the first', async () => {
    const form = 'name=tea&name=coffee&extras=milk&extras=sugar'
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const response = await client.post('/save', form, { headers })
    assert.deepEqual(response.json(), { name: 'tea', extras: ['milk', 'sugar'] })
  })

  it('takes JSON of any type that its schema takes', async () => {
    assert.deepEqual((await client.postJson('/list', [1, 2])).json(), { sum: 3 })
    assert.equal((await client.postJson('/list', {}, PROGRAM)).status, 400)
  })

  it('is an empty form if there is no body', async () => {
    const response = await client.post('/save', undefined, PROGRAM)
    assert.equal(response.status, 400)
    assert.equal(response.json<{ errors: { name: string }[] }>().errors[0]?.name, 'name')
  })

  for (const method of ['GET', 'HEAD', 'PROPFIND']) {
    it(`refuses ${method} of a route without methods with 405`, async () => {
      const response = await client.request(method, '/save')
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), 'DELETE, OPTIONS, PATCH, POST, PUT')
    })
  }

  it('is undefined for a GET that a route names', async () => {
    assert.deepEqual((await client.get('/read')).json(), {})
  })

  it('is refused twice in an action when the class is first used', async () => {
    class TwiceController extends WSGIController {
      static args = { save: { one: body(Order, { lists: ['extras'] }), two: order } }
      index() {
        return 'never'
      }
      save(one: Order, two: Order) {
        return [one, two]
      }
    }
    const map = new Mapper().connect('/', { controller: 'twice', action: 'index' })
    const app = new FrameworkApp({ map, controllers: { twice: TwiceController } })
    await assert.rejects(
      new TestApp(app).get('/'),
      /static args declares "one" and "two" of TwiceController\.save\(\) with body\(\)\. A request has one body/,
    )
  })

  it('refuses what is not a schema', () => {
    const untyped: (schema: never) => unknown = body
    assert.throws(() => untyped({} as never), /body\(\) received an object that is not a Standard Schema/)
  })
})
