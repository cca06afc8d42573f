/** Results that match their schema and results that do not: `static results`, `pages` and `statuses`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type ControllerRecord,
  created,
  done,
  FrameworkApp,
  HTTPConflict,
  HTTPNotModified,
  Mapper,
  Response,
  WSGIController,
} from 'propylon'
import { int, list } from 'propylon/converters'
import { decorate, jsonify } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import type { StartResponse } from 'propylon/wsgi'
import * as v from 'valibot'

const Item = v.object({ id: v.number() })
const later = v.pipeAsync(
  Item,
  v.checkAsync(async ({ id }) => id > 0, 'must be positive'),
)

/** Results by the name of the action that returns them. */
const RESULTS: Readonly<Record<string, () => unknown>> = {
  value: () => ({ id: 1, secret: 2 }),
  promised: async () => ({ id: 1, secret: 2 }),
  number: () => 7,
  converted: () => 7,
  convertedList: () => [1, 2],
  nothing: () => null,
  unfit: () => ({ id: 'x', secret: 2 }),
  later: () => ({ id: 1, secret: 2 }),
  refusedLater: () => ({ id: -1 }),
  unexpected: () => ({ id: 1 }),
  removed: () => null,
  removedToo: () => undefined,
  accepted: () => ({ id: 1 }),
  text: () => 'text',
  bytes: () => new TextEncoder().encode('bytes'),
  ownResponse: () => new Response('own', { status: 203 }),
  stream: () => ['a', 'b'].values(),
  undefinedResult: () => undefined,
  made: () => created('/items/1', { id: 1, secret: 2 }),
  madeUnfit: () => created('/items/1', { id: 'x' }),
  changed: () => done('/items', { id: 1, secret: 2 }),
  ended: () => done('/items'),
  endedByNull: () => done('/items', null),
  shown: () => ({ id: 3, url: 'hidden' }),
  empty: () => undefined,
  current: () => {
    throw new HTTPNotModified()
  },
  list: () => [{ id: 1 }],
  infinite: () => ({ ratio: Number.POSITIVE_INFINITY }),
  invalidDate: () => ({ at: new Date(Number.NaN) }),
  gap: () => [1, undefined],
  methods: () => [() => 1],
  symbols: () => [Symbol('mark')],
  deep: () => [{ ratios: [1, Number.NaN] }],
  big: () => ({ counts: [10n] }),
  map: () => ({ members: new Map([[1, 2]]) }),
  pattern: () => ({ pattern: /a/ }),
  failure: () => [new Error('secret')],
  hidden: () => ({
    stack: new (class Stack {
      readonly #items = [1]
      get size() {
        return this.#items.length
      }
    })(),
  }),
  pending: () => ({ author: Promise.resolve('Thoreau') }),
  emptyMember: () => ({ note: {}, at: null }),
  inexpressible: () => ({ id: 1 }),
  absent: () => ({ ratio: null }),
  asJson: () => ({ id: 1, secret: 2 }),
}

/** Names that every template has. */
const HELPERS = ['asset', 'c', 'nonce', 'request', 'result', 'session', 'url']

class ItemsController extends WSGIController {
  static results = {
    value: Item,
    promised: Item,
    number: v.number(),
    converted: int,
    convertedList: list(int),
    nothing: v.nullable(Item),
    unfit: Item,
    later,
    refusedLater: later,
    unexpected: null,
    removed: null,
    removedToo: null,
    accepted: Item,
    text: Item,
    bytes: Item,
    ownResponse: Item,
    stream: Item,
    undefinedResult: Item,
    made: Item,
    madeUnfit: Item,
    changed: Item,
    ended: null,
    endedByNull: null,
    create: Item,
    infinite: v.object({ ratio: v.number() }),
    invalidDate: v.object({ at: v.instance(Date) }),
    gap: v.array(v.any()),
    methods: v.array(v.any()),
    symbols: v.array(v.any()),
    deep: v.array(v.any()),
    big: v.any(),
    map: v.any(),
    pattern: v.any(),
    failure: v.any(),
    hidden: v.any(),
    pending: v.any(),
    emptyMember: v.any(),
    inexpressible: v.pipe(
      Item,
      v.transform(() => undefined),
    ),
    started: Item,
    absent: v.object({ ratio: v.nullable(v.number()) }),
    asJson: Item,
  }
  static pages = {
    shown: 'shown',
    empty: 'shown',
    current: 'shown',
    list: 'list',
    tinted: 'shown',
    gone: 'shown',
    written: 'shown',
    helpers: 'helpers',
  }
  static statuses = { accepted: 202 }

  create() {
    return { id: 9 }
  }
  plain() {
    return created('/items/2', { id: 2, secret: 3 })
  }
  started(start_response: StartResponse) {
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return ['its own']
  }
  tinted() {
    this.response.headers.set('X-Tint', 'red')
  }
  gone() {
    this.response.status = 410
  }
  written() {
    this.response.body = 'its own'
  }
  helpers() {
    return Object.fromEntries(HELPERS.map((name) => [name, 'hidden']))
  }
  refused() {
    throw new HTTPConflict('taken')
  }
}
for (const [name, result] of Object.entries(RESULTS)) {
  Object.defineProperty(ItemsController.prototype, name, { value: () => result(), configurable: true })
}
decorate(ItemsController, { asJson: [jsonify] } as object)

// The compiler does not know the actions.
const controllers: ControllerRecord = { items: ItemsController }
const logged: string[] = []
const client = new TestApp(
  new FrameworkApp({
    map: new Mapper().resource('item', 'items', { only: ['create'] }).connect('/{action}', { controller: 'items' }),
    controllers,
    templates: {
      shown: '<%= it.id %> <%= it.url("items") %>',
      list: '<%= it.result.length %>',
      helpers: '<%= Object.values(it).includes("hidden") %>',
    },
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
  }),
  { errors: 'page' },
)
const PROGRAM = { headers: { Accept: 'application/json' } }
const BROWSER = { headers: { Accept: 'text/html' } }

describe('a result with a schema', () => {
  const rows: [action: string, status: number, text: string][] = [
    ['value', 200, '{"id":1}'],
    ['promised', 200, '{"id":1}'],
    ['number', 200, '7'],
    ['converted', 200, '7'],
    ['convertedList', 200, '[1,2]'],
    ['nothing', 200, 'null'],
    ['later', 200, '{"id":1}'],
    ['accepted', 202, '{"id":1}'],
    ['removed', 204, ''],
    ['removedToo', 204, ''],
    ['endedByNull', 204, ''],
    ['text', 200, 'text'],
    ['bytes', 200, 'bytes'],
    ['ownResponse', 203, 'own'],
    ['stream', 200, 'ab'],
    ['undefinedResult', 200, ''],
    ['made', 201, '{"id":1}'],
    ['changed', 200, '{"id":1}'],
    ['ended', 204, ''],
    ['absent', 200, '{"ratio":null}'],
    ['emptyMember', 200, '{"note":{},"at":null}'],
    ['asJson', 200, '{"id":1}'],
    ['plain', 201, '{"id":2,"secret":3}'],
    ['started', 200, 'its own'],
  ]
  for (const [action, status, text] of rows) {
    it(`${action} is ${status} ${text}`, async () => {
      const response = await client.get(`/${action}`, PROGRAM)
      assert.deepEqual([response.status, response.text], [status, text])
    })
  }

  it('is 201 for create of a resource', async () => {
    assert.equal((await client.post('/items', undefined, PROGRAM)).status, 201)
  })

  it('is that of a program if the query names JSON, also with Accept for a page', async () => {
    const made = await client.get('/made?format=json', BROWSER)
    assert.deepEqual([made.status, made.text], [201, '{"id":1}'])
  })

  it('is 406 for a GET that accepts no JSON, and sent in any case for other methods', async () => {
    const headers = { Accept: 'image/png' }
    assert.equal((await client.get('/value', { headers })).status, 406)
    assert.equal((await client.post('/items', undefined, { headers })).status, 201)
  })
})

describe('a result that its schema refuses', () => {
  const rows: [action: string, reason: RegExp][] = [
    ['unfit', /ItemsController\.unfit\(\) returned a value that static results refuses: id: /],
    ['refusedLater', /refuses: must be positive/],
    ['unexpected', /declared to give no value/],
    ['infinite', /ratio: JSON cannot express Infinity/],
    ['invalidDate', /at: JSON cannot express an instance of Date/],
    ['gap', /1: JSON cannot express undefined/],
    ['methods', /0: JSON cannot express the function/],
    ['deep', /refuses: 0\.ratios\.1: JSON cannot express NaN/],
    ['big', /refuses: counts\.0: JSON cannot express 10/],
    ['map', /refuses: members: JSON cannot express an instance of Map/],
    ['pattern', /refuses: pattern: JSON cannot express/],
    ['failure', /refuses: 0: JSON cannot express/],
    ['hidden', /refuses: stack: JSON cannot express an instance of Stack/],
    ['pending', /refuses: author: JSON cannot express a promise/],
    ['symbols', /0: JSON cannot express a symbol/],
    ['inexpressible', /refuses: JSON cannot express undefined/],
    ['madeUnfit', /ItemsController\.madeUnfit\(\).*id: /],
  ]
  for (const [action, reason] of rows) {
    it(`${action} is 500, logged with its path, and not sent`, async () => {
      logged.length = 0
      const response = await client.get(`/${action}`, PROGRAM)
      assert.equal(response.status, 500)
      assert.doesNotMatch(response.text, /secret|must be/)
      assert.match(logged.join('\n'), reason)
    })
  }
})

describe('a page', () => {
  it('has the members of the result, which do not hide the helpers', async () => {
    assert.equal((await client.get('/shown', BROWSER)).text, '3 /items')
  })

  it('is shown for an action that returns nothing', async () => {
    assert.match((await client.get('/empty', BROWSER)).text, /\/items$/)
  })

  it('has helpers under all their names, also if the result has members of these names', async () => {
    assert.equal((await client.get('/helpers', BROWSER)).text, 'false')
  })

  it('is shown for an action that has set a header, and not for one that has written a response', async () => {
    const tinted = await client.get('/tinted', BROWSER)
    assert.deepEqual([tinted.text, tinted.headers.get('x-tint')], [' /items', 'red'])
    const gone = await client.get('/gone', BROWSER)
    assert.deepEqual([gone.status, gone.text], [410, ''])
    assert.equal((await client.get('/written', BROWSER)).text, 'its own')
  })

  it('has a list as it.result', async () => {
    assert.equal((await client.get('/list', BROWSER)).text, '1')
  })

  it('is JSON without a schema for programs', async () => {
    assert.deepEqual((await client.get('/shown', PROGRAM)).json(), { id: 3, url: 'hidden' })
  })
})

describe('declarations that are wrong', () => {
  const rows: [statics: object, reason: RegExp][] = [
    [
      { results: { shwo: Item } },
      /WrongController\.results names "shwo", which is not an action\. Did you mean "show"/,
    ],
    [{ results: { show: 1 } }, /WrongController\.results\.show is 1\. Write a Standard Schema/],
    [{ pages: { show: 1 } }, /pages\.show is 1\. Write the name of a template/],
    [
      { deprecated: ['shwo'] },
      /WrongController\.deprecated names "shwo", which is not an action\. Did you mean "show"/,
    ],
    [{ args: { shwo: { id: v.string() } } }, /args names "shwo", which is not an action\. Did you mean "show"/],
    [{ results: [Item] }, /results is an array of 1\. Write an object with an entry for each action/],
    [{ pages: 'books/show' }, /pages is "books\/show"\. Write an object/],
    [{ pages: { other: 1 } }, /pages\.other is 1\. Write the name of a template/],
    [{ deprecated: 'show' }, /WrongController\.deprecated is "show"\. Write a list of actions/],
    [{ statuses: { show: 404 } }, /statuses\.show is 404\. Write a status from 200 to 299/],
  ]
  for (const [statics, reason] of rows) {
    it(`fail at the first request: ${reason.source}`, async () => {
      class WrongController extends WSGIController {
        show() {
          return { id: 1 }
        }
        other() {}
      }
      Object.assign(WrongController, statics)
      const map = new Mapper().connect('/', { controller: 'wrong', action: 'show' })
      const app = new FrameworkApp({ map, controllers: { wrong: WrongController } })
      await assert.rejects(new TestApp(app).get('/'), reason)
    })
  }

  it('do not include converters of a base class for actions that the class lacks', async () => {
    class BaseController extends WSGIController {
      static args = { show: { id: v.string() }, edit: { id: v.string() } }
    }
    class ShownController extends BaseController {
      show(id: string) {
        return id
      }
    }
    const map = new Mapper().connect('/{id}', { controller: 'shown', action: 'show' })
    // @ts-expect-error the compiler finds it
    const app = new FrameworkApp({ map, controllers: { shown: ShownController } })
    assert.equal((await new TestApp(app).get('/7')).text, '7')
  })
})
