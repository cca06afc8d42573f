/** Arguments with converters: `static args`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ArgumentDeclarations, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { bool, int, isoDate, list, optional, string } from 'propylon/converters'
import { decorate, dispatchOn } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const free = v.pipeAsync(
  v.string(),
  v.checkAsync(async (name) => name !== 'taken', 'is taken'),
)

let ran: string[] = []

class BaseController extends WSGIController {
  static args: ArgumentDeclarations = {
    inherited: { id: int },
    replaced: { id: int },
    shortened: { id: int, page: optional(int, 1) },
  }
  inherited(id: number) {
    return [typeof id, id]
  }
  replaced(id: unknown) {
    return [typeof id, id]
  }
  shortened(id: number, page: number): unknown[] {
    return [id, page]
  }
}

class ItemsController extends BaseController {
  static override args = {
    show: { id: int },
    index: { page: optional(int, 1), q: optional(string), ids: optional(list(int), []) },
    required: { page: int, active: bool },
    on: { day: isoDate },
    mixed: { page: int },
    foreign: { mail: v.pipe(v.string(), v.email('is not an address')) },
    check: { name: free },
    names: ['id', 'format'],
    several: { ids: list(int) },
    destructured: { id: int, page: optional(int, 1) },
    gateway: { id: int },
    replaced: { id: string },
    formats: { format: optional(string, 'html') },
    edit: { id: int },
    _save: { id: int, force: optional(bool, false) },
    odd: {
      constructor: optional(string, 'default'),
      toString: optional(string),
      ['__proto__']: optional(string),
    },
  }
  show(id: number) {
    ran.push('show')
    return [typeof id, id]
  }
  index(page: number, q: string | undefined, ids: readonly number[]) {
    return { page, q: q ?? null, ids }
  }
  required(page: number, active: boolean) {
    ran.push('required')
    return { page, active }
  }
  on(day: Date) {
    return day.toISOString()
  }
  mixed(id: string, page: number, format = 'html') {
    return [id, page, format]
  }
  foreign(mail: string) {
    return mail
  }
  check(name: string) {
    return name
  }
  several(ids: readonly number[]) {
    return ids
  }
  names(renamed: string, too = 'html') {
    return [renamed, too]
  }
  destructured({ id, page, format = 'html' }: { id: number; page: number; format?: string }) {
    return [id, page, format]
  }
  gateway(id: number, environ: { REQUEST_METHOD: string }, signal: AbortSignal) {
    return [id, environ.REQUEST_METHOD, signal.aborted]
  }
  formats(format: string) {
    return format
  }
  edit(id: number) {
    return `form ${id + 1}`
  }
  _save(id: number, force: boolean) {
    return [id + 1, force]
  }
  odd({ constructor: made, ...rest }: Record<string, unknown>) {
    return [made, typeof rest.toString]
  }
  static {
    decorate(this, { edit: [dispatchOn({ POST: '_save' })] })
  }
}

const routes = () =>
  new Mapper()
    .connect('/formats{.format}', { controller: 'items', action: 'formats', formats: ['html', 'json'] })
    .connect('/{controller}/{action}')
    .connect('/{controller}/on/{day}', { action: 'on' })
    .connect('/{controller}/lists/{ids}', { action: 'index' })
    .connect('/{controller}/{action}/{id}')

function clientOf(controller: new () => WSGIController, options: { debug?: boolean } = {}): TestApp {
  ran = []
  return new TestApp(
    new FrameworkApp({
      map: routes(),
      controllers: { items: controller },
      logger: { info() {}, warn() {}, error() {} },
      ...options,
    }),
  )
}

describe('static args', () => {
  const answered: [path: string, body: unknown][] = [
    ['/items/show/7', ['number', 7]],
    ['/items/show/-0', ['number', 0]],
    ['/items/inherited/7', ['number', 7]],
    ['/items/replaced/7', ['string', '7']],
    ['/items/index', { page: 1, q: null, ids: [] }],
    ['/items/index?page=2&q=a+b&ids=1,2', { page: 2, q: 'a b', ids: [1, 2] }],
    ['/items/index?ids=1&ids=2', { page: 1, q: null, ids: [1, 2] }],
    ['/items/index?page=&q=&ids=', { page: 1, q: null, ids: [] }],
    ['/items/lists/4,5?ids=1', { page: 1, q: null, ids: [4, 5] }],
    ['/items/required?page=2&active=true', { page: 2, active: true }],
    ['/items/mixed/a?page=3&format=json&id=b', ['a', 3, 'html']],
    ['/items/names/7', ['7', 'html']],
    ['/items/several?ids=1', [1]],
    ['/items/destructured/7', [7, 1, 'html']],
    ['/items/destructured/7?page=2', [7, 2, 'html']],
    ['/items/gateway/7', [7, 'GET', false]],
    ['/items/show?id=8', ['number', 8]],
    ['/items/odd', ['default', 'undefined']],
    ['/items/odd?constructor=a&toString=b', ['a', 'string']],
  ]
  for (const [path, body] of answered) {
    it(`converts the arguments of ${path}`, async () => {
      assert.deepEqual((await clientOf(ItemsController).get(path)).json(), body)
    })
  }

  it('passes a date', async () => {
    assert.equal((await clientOf(ItemsController).get('/items/on/2026-02-28')).text, '2026-02-28T00:00:00.000Z')
  })

  for (const path of [
    '/items/show/joe',
    '/items/show/01',
    '/items/inherited/x',
    '/items/on/2026-02-29',
    '/items/lists/1,x',
  ]) {
    it(`answers ${path} with 404 and does not run the action`, async () => {
      const response = await clientOf(ItemsController).get(path)
      assert.equal(response.status, 404)
      assert.deepEqual(ran, [])
      assert.doesNotMatch(response.text, /integer|static/)
    })
  }

  it('says why a path does not convert in debug mode', async () => {
    const response = await clientOf(ItemsController, { debug: true }).get('/items/show/joe')
    assert.match(response.text, /ItemsController\.show takes "id" as int\. The path has "joe": must be an integer\./)
  })

  const refused: [path: string, errors: object[]][] = [
    ['/items/index?page=x', [{ name: 'page', detail: 'must be an integer' }]],
    ['/items/index?page=1&page=2', [{ name: 'page', detail: 'is given 2 times and may be given once' }]],
    ['/items/index?ids=1,x', [{ name: 'ids', detail: 'item 2 must be an integer' }]],
    [
      '/items/required?page=',
      [
        { name: 'page', detail: 'must be an integer' },
        { name: 'active', detail: 'is missing' },
      ],
    ],
    ['/items/show', [{ name: 'id', detail: 'is missing' }]],
    ['/items/several', [{ name: 'ids', detail: 'is missing' }]],
    ['/items/foreign?mail=joe', [{ name: 'mail', detail: 'is not an address' }]],
    ['/items/check?name=taken', [{ name: 'name', detail: 'is taken' }]],
  ]
  for (const [path, errors] of refused) {
    it(`answers ${path} with 400 and the errors by name`, async () => {
      const headers = { Accept: 'application/json' }
      const response = await clientOf(ItemsController).get(path, { headers, status: 400 })
      const problem = response.json() as { status: number; errors: object[] }
      assert.equal(response.headers.get('content-type'), 'application/problem+json')
      assert.deepEqual([problem.status, problem.errors], [400, errors])
      assert.deepEqual(ran, [])
    })
  }

  it('answers a browser with a page', async () => {
    const headers = { Accept: 'text/html' }
    const response = await clientOf(ItemsController).get('/items/required', { headers, status: 400 })
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(response.text, /page: is missing; active: is missing/)
  })

  it('waits for an asynchronous schema', async () => {
    assert.equal((await clientOf(ItemsController).get('/items/check?name=joe')).text, 'joe')
  })

  it('prefers a value of the match to one of the query', async () => {
    assert.deepEqual((await clientOf(ItemsController).get('/items/show/7?id=8')).json(), ['number', 7])
  })

  it('converts the arguments of the method to which an action is dispatched', async () => {
    const client = clientOf(ItemsController)
    assert.equal((await client.get('/items/edit/7')).text, 'form 8')
    assert.deepEqual((await client.post('/items/edit/7?force=true')).json(), [8, true])
    assert.equal((await client.post('/items/edit/7?force=x', undefined, { status: 400 })).status, 400)
  })

  it('takes the format that the request accepts', async () => {
    class FormatsController extends WSGIController {
      static args = { index: { format: optional(string, 'html') } }
      index(format: string) {
        return format
      }
    }
    const formats = new Mapper().resource('item', 'items')
    const client = new TestApp(new FrameworkApp({ map: formats, controllers: { items: FormatsController } }))
    assert.equal((await client.get('/items', { headers: { Accept: 'application/json' } })).text, 'json')
    assert.equal((await client.get('/items.json')).text, 'json')
    assert.equal((await client.get('/items')).text, 'html')
  })

  it('refuses wrong arguments before the hooks run', async () => {
    class HookedController extends WSGIController {
      static args = {
        show: { id: int },
        __before__: { page: optional(int, 1) },
        __after__: { id: optional(string) },
      }
      __before__(id: unknown, page: unknown) {
        ran.push(`before ${typeof id} ${typeof page}`)
      }
      show(id: number) {
        return [id]
      }
      __after__(id: unknown) {
        ran.push(`after ${typeof id}`)
      }
    }
    const client = clientOf(HookedController)
    await client.get('/items/show/x', { status: 404 })
    await client.get('/items/show/7?page=x', { status: 400 })
    assert.deepEqual(ran, [])
    assert.deepEqual((await client.get('/items/show/7')).json(), [7])
    assert.deepEqual(ran, ['before string number', 'after string'])
  })

  it('passes what _get_method_args replaces', async () => {
    class ReplacingController extends WSGIController {
      static args = { show: { id: int, page: optional(int, 1), q: optional(int, 1) } }
      override async _get_method_args() {
        return { ...(await super._get_method_args()), id: 'replaced', page: 'added' }
      }
      show(id: unknown, page: unknown, q: unknown) {
        return [id, page, q]
      }
    }
    assert.deepEqual((await clientOf(ReplacingController).get('/items/show/7')).json(), ['replaced', 'added', 1])
  })

  it('passes only the arguments that an overriding method takes', async () => {
    class ShortController extends BaseController {
      override shortened(id: number) {
        return [id, 'no page']
      }
    }
    assert.deepEqual((await clientOf(BaseController).get('/items/shortened/7')).json(), [7, 1])
    assert.deepEqual((await clientOf(ShortController).get('/items/shortened/7')).json(), [7, 'no page'])
  })

  const wrong: [title: string, args: object, message: RegExp][] = [
    [
      'a converter for an argument that the method does not take',
      { show: { idd: int } },
      /WrongController\.args\.show declares "idd", which show\(id\) does not take/,
    ],
    [
      'a declaration that is neither a list nor a record',
      { show: 'id' },
      /WrongController\.args\.show must be an array of parameter names, \['id', 'format'\], or a record/,
    ],
    [
      'a list of something else than names',
      { show: [int] },
      /WrongController\.args\.show must be an array of parameter names/,
    ],
    ['a converter that is no schema', { show: { id: Number } }, /WrongController\.args\.show\.id must be a converter/],
  ]
  for (const [title, args, message] of wrong) {
    it(`refuses ${title}`, async () => {
      class WrongController extends WSGIController {
        static args = args
        show(id: unknown) {
          return [id]
        }
      }
      await assert.rejects(clientOf(WrongController).get('/items/show/7'), (error: Error) => {
        assert.match(error.message, message)
        return true
      })
    })
  }
})
