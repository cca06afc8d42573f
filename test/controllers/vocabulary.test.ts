/** The vocabulary of declarations is closed: a static property that nothing reads is an error when the class is loaded. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import {
  ControllerLoadError,
  FrameworkApp,
  JSONRPCController,
  Mapper,
  WSGIController,
  XMLRPCController,
} from 'propylon'
import { body, int, list, optional, string } from 'propylon/converters'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import * as z from 'zod'

const Book = v.object({ title: v.string() })

class BooksController extends WSGIController {
  show() {
    return { title: 'Emma', secret: 'x' }
  }

  create() {
    return null
  }
}

const templates = { 'books/show.eta': 'A page', 'list.eta': 'A list' }

function appOf(controller: new () => WSGIController, debug: boolean, logged: string[] = []): FrameworkApp {
  const log = (message: string) => void logged.push(message)
  return new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'books' }),
    controllers: { books: controller },
    templates,
    debug,
    logger: { info() {}, warn: log, error: log },
  })
}

/** Returns a class with a static property. */
function withStatic(name: string, value: unknown, base: new () => WSGIController = BooksController) {
  return Object.assign(class extends base {}, { [name]: value })
}

function loadError(controller: new () => WSGIController): string | undefined {
  try {
    void appOf(controller, false).controllers.find('books')
    return undefined
  } catch (error) {
    assert.ok(error instanceof ControllerLoadError)
    return error.message
  }
}

const NEAR: readonly (readonly [name: string, value: unknown, meant: string])[] = [
  ['result', { show: Book }, 'results'],
  ['Results', { show: Book }, 'results'],
  ['_results', { show: Book }, 'results'],
  ['resluts', { show: Book }, 'results'],
  ['result', { shwo: Book }, 'results'],
  ['result', Book, 'results'],
  ['result', z.object({ title: z.string() }), 'results'],
  ['result', type({ title: 'string' }), 'results'],
  ['result', { show: type({ title: 'string' }) }, 'results'],
  ['arg', { show: { id: int } }, 'args'],
  ['argz', { show: { id: int } }, 'args'],
  ['arg', { show: ['id'] }, 'args'],
  ['page', { show: 'books/show' }, 'pages'],
  ['page', { show: 'a template that an engine of its own has' }, 'pages'],
  ['tool', ['show'], 'tools'],
  ['tool', { show: { name: 'find' } }, 'tools'],
  ['resource', ['show'], 'resources'],
  ['prompt', { review: 'books/review' }, 'prompts'],
  ['status', { create: 202 }, 'statuses'],
  ['securty', [{ token: [] }], 'security'],
  ['secuity', { '*': [{ token: [] }] }, 'security'],
  ['crosssite', 'allow', 'crossSite'],
  ['cross_site', { show: 'allow' }, 'crossSite'],
  ['alow', ['GET'], 'allow'],
  ['allowed', ['GET', 'HEAD'], 'allow'],
  ['deprecate', ['show'], 'deprecated'],
  ['descripton', 'Books', 'description'],
]

const ALIKE: readonly (readonly [name: string, value: unknown, meant: string])[] = [
  ['schemas', { show: Book }, 'results'],
  ['schemas', { show: Book, create: null }, 'results'],
  ['converters', { show: { id: int } }, 'args'],
  ['bodies', { create: { book: body(Book) } }, 'args'],
  ['bodies', { create: body(Book) }, 'args'],
  ['templates', { show: 'books/show', create: 'list' }, 'pages'],
]

const OWN: readonly (readonly [name: string, value: unknown])[] = [
  ['page', 20],
  ['page', 'books'],
  ['result', () => 'x'],
  ['tool', class Tool {}],
  ['result', new Map([['show', Book]])],
  ['arg', undefined],
  ['pageSize', 20],
  ['titles', { show: 'Show', create: 'Create' }],
  ['images', { logo: '/logo.svg' }],
  ['images', ['/logo.svg']],
  ['stages', ['show', 'create']],
  ['states', { open: 'Open', closed: 'Closed' }],
  ['sources', ['library']],
  ['fields', Book],
  ['schemas', { book: Book }],
  ['schemas', { show: Book, book: Book }],
  ['limits', { show: 10, create: 1 }],
  ['options', { show: { limit: 10 } }],
  ['templates', { show: 'no/template' }],
  ['titel', 'Books'],
  ['table', 'books'],
  ['model', class Model {}],
  ['cache', new Map()],
  ['results', { show: Book }],
]

const SERVICES: readonly (readonly [name: string, value: unknown, meant: string])[] = [
  ['signature', { add: [['int', 'int', 'int']] }, 'signatures'],
  ['publicName', { add: 'calc.add' }, 'publicNames'],
  ['face', ['json'], 'faces'],
  ['maxBodyLength', 100, 'max_body_length'],
  ['browseable', false, 'browsable'],
  ['multiCalls', true, 'multicall'],
  ['versoin', '2.0.0', 'version'],
  ['batch_limits', 5, 'batchLimit'],
  ['schemas', { add: { a: int } }, 'args'],
]

class CalcController extends RPCController {
  add(a: number, b: number) {
    return a + b
  }
}

describe('a static property that nothing reads', () => {
  for (const [name, value, meant] of [...NEAR, ...ALIKE]) {
    it(`is an error: ${name} for ${meant}`, () => {
      const message = loadError(withStatic(name, value)) ?? ''
      assert.ok(message.includes(`static ${name} is not read. Did you mean static ${meant}?`), message)
    })
  }

  for (const [name, value] of OWN) {
    it(`is left alone: ${name} of type ${typeof value}`, () => {
      assert.equal(loadError(withStatic(name, value)), undefined)
    })
  }

  for (const [name, value, meant] of SERVICES) {
    it(`is an error in a service: ${name} for ${meant}`, () => {
      const message = loadError(withStatic(name, value, CalcController)) ?? ''
      assert.ok(message.includes(`static ${name} is not read. Did you mean static ${meant}?`), message)
    })
  }

  it('is a record of templates that an engine of the application has', () => {
    for (const [has, expected] of [
      [() => true, /static templates is not read\. Did you mean static pages\?/],
      [undefined, /^$/],
    ] as const) {
      const controllers = { books: withStatic('templates', { show: 'an own name' }) }
      const engine = { render: () => '', ...(has && { has }) }
      const app = new FrameworkApp({ map: new Mapper(), controllers, templates: engine })
      const message = { text: '' }
      try {
        void app.controllers.find('books')
      } catch (error) {
        message.text = String(error)
      }
      assert.match(message.text, expected)
    }
  })

  it('is left alone in services if it is their own', () => {
    for (const [name, value] of [
      ['units', 'cm'],
      ['limits', { add: 5 }],
      ['precision', 3],
    ] as const)
      assert.equal(loadError(withStatic(name, value, CalcController)), undefined)
    assert.equal(loadError(class extends XMLRPCController {}), undefined)
  })

  for (const debug of [true, false]) {
    it(`serves nothing of the class, ${debug ? 'in debug mode' : 'in production'}`, async () => {
      const logged: string[] = []
      const app = appOf(withStatic('result', { show: Book }), debug, logged)
      const client = new TestApp(app, { errors: debug ? 'debug' : 'page' })
      for (const path of ['/show', '/create']) {
        const response = await client.get(path)
        assert.equal(response.status, 500)
        assert.equal(response.text.includes('Did you mean static results?'), debug)
        assert.ok(!response.text.includes('Emma'))
      }
      assert.match(logged.join('\n'), /static result is not read\. Did you mean static results\?/)
    })
  }

  it('names the class that has it', () => {
    class BaseController extends BooksController {
      static pagse = { show: 'books/show' }
    }
    const message = loadError(class PagesController extends BaseController {}) ?? ''
    assert.ok(message.includes('BaseController: static pagse is not read. Did you mean static pages?'), message)
  })

  it('may be a getter', () => {
    class PagesController extends BooksController {
      static get result() {
        return { show: Book }
      }

      static get other(): never {
        throw new Error('A getter of the application runs.')
      }
    }
    assert.match(loadError(PagesController) ?? '', /static result is not read/)
  })

  it('is found by loadAll()', async () => {
    const { controllers } = appOf(withStatic('result', { show: Book }), false)
    await assert.rejects(controllers.loadAll(), AggregateError)
  })

  it('is an error in a class of sockets', () => {
    class ChatSocket {
      static maxMesage = 100
      message() {}
    }
    const create = () => new FrameworkApp({ map: new Mapper(), controllers: {}, sockets: { '/chat': ChatSocket } })
    assert.throws(create, /ChatSocket: static maxMesage is not read\. Did you mean static maxMessage\?/)
  })

  it('is left alone in a class of sockets if it is its own', () => {
    class ChatSocket {
      static rooms = new Set()
      static message = 'Hello'
      static maxMessages = () => 5
      message() {}
    }
    new FrameworkApp({ map: new Mapper(), controllers: {}, sockets: { '/chat': ChatSocket } })
  })
})

const Tree = z.object({
  get children() {
    return z.array(Tree)
  },
})

/** Returns a schema that says what it takes by a JSON Schema only. */
function described(schema: Record<string, unknown>): StandardSchemaV1 & StandardJSONSchemaV1 {
  const jsonSchema = { input: () => schema, output: () => schema }
  return { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), jsonSchema } }
}

/** Values of the whole vocabulary, by name. */
const VOCABULARY: Readonly<Record<string, unknown>> = {
  allow: ['GET', 'POST', 'OPTIONS'],
  args: { show: { id: int } },
  crossSite: { show: 'allow' },
  deprecated: ['show'],
  description: 'Books',
  pages: { show: 'books/show' },
  prompts: { show: 'books/show' },
  resources: ['show'],
  results: { show: Book },
  security: [{ token: [] }],
  statuses: { show: 202 },
  tools: ['show'],
  allowNil: true,
  batchBytes: 1,
  batchLimit: 1,
  booleanWords: true,
  browsable: false,
  faces: ['json'],
  i8: true,
  keepDoubles: true,
  max_body_length: 1,
  multicall: true,
  publicNames: { show: 'books.show' },
  securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  signatures: { show: [['struct', 'int']] },
  title: 'Books',
  version: '1',
  maxMessage: 1,
}

const OF_BOTH = 'allow args crossSite deprecated description results security '
const OF_ACTIONS = `${OF_BOTH}pages prompts resources statuses tools title version`
const OF_SERVICES = `${OF_BOTH}allowNil batchBytes batchLimit booleanWords browsable faces i8 keepDoubles max_body_length multicall publicNames securitySchemes signatures title version`

/** Declares a method that takes `id`, in a class of each kind, and the names that the class reads or may have itself. */
const KINDS: readonly (readonly [kind: string, base: new () => object, read: string])[] = [
  ['an action', WSGIController, OF_ACTIONS],
  ['a service', RPCController, OF_SERVICES],
  ['a service of XML-RPC', XMLRPCController, OF_SERVICES],
  ['a service of JSON-RPC', JSONRPCController, OF_SERVICES],
  ['a class of sockets', class {}, 'maxMessage description title version'],
  ['a class with __call__', class {}, 'allow crossSite description title version'],
]

describe('each declaration, in each kind of class', () => {
  for (const [kind, base, read] of KINDS) {
    for (const [name, value] of Object.entries(VOCABULARY)) {
      const isRead = read.split(' ').includes(name)
      it(`is ${isRead ? 'read' : 'refused'}: ${name} in ${kind}`, () => {
        const Class = class extends base {
          show(id: number) {
            return { title: `${id}` }
          }
          message() {}
        }
        if (kind === 'a class with __call__') Object.assign(Class.prototype, { __call__: () => [] })
        Object.assign(Class, { [name]: value })
        const load = () => {
          const app = new FrameworkApp({
            map: new Mapper(),
            controllers: kind === 'a class of sockets' ? {} : Object({ books: Class }),
            ...(kind === 'a class of sockets' && { sockets: { '/books': Class } }),
            templates,
          })
          void app.controllers.find('books')
        }
        if (isRead) load()
        else assert.throws(load, new RegExp(`static ${name} is not read by .+ It belongs to .+ Move it there`))
      })
    }
  }
})

describe('an entry of a record', () => {
  const wrong: readonly (readonly [name: string, value: unknown, message: RegExp])[] = [
    ...['args', 'pages', 'results', 'statuses'].map(
      (name) => [name, { show: undefined }, new RegExp(`static ${name} has undefined for "show"\\.`)] as const,
    ),
    ['crossSite', { '*': 'refuse', shwo: 'allow' }, /static crossSite names "shwo", .+ Did you mean "show"\?/],
    ['security', { '*': [], delete: [{ token: [] }] }, /static security names "delete", which is not an action/],
  ]
  for (const [name, value, message] of wrong) {
    it(`is an error that nothing would read: ${name}`, () => {
      assert.match(loadError(withStatic(name, value)) ?? '', message)
    })
  }

  it('may be a rule of a base class for the actions of its subclasses', () => {
    class BaseController extends BooksController {
      static crossSite = { '*': 'refuse', hook: 'allow' }
    }
    assert.equal(loadError(class extends BaseController {}), undefined)
  })
})

describe('a schema of objects in static args', () => {
  const objects: readonly (readonly [string, unknown])[] = [
    ['valibot', Book],
    ['valibot, strict', v.strictObject({ title: v.string() })],
    ['valibot, a record', v.record(v.string(), v.string())],
    ['valibot, optional', v.optional(Book)],
    ['valibot, nullable', v.nullable(Book)],
    [
      'valibot, a pipe',
      v.pipe(
        Book,
        v.check(() => true),
      ),
    ],
    ['valibot, a variant', v.variant('kind', [v.object({ kind: v.literal('a') })])],
    ['zod', z.object({ title: z.string() })],
    ['zod, optional', z.object({ title: z.string() }).optional()],
    ['zod, nullable', z.object({ title: z.string() }).nullable()],
    ['zod, refined', z.object({ title: z.string() }).refine(() => true)],
    ['arktype', type({ title: 'string' })],
    ['optional() of an object', optional(Book)],
    ['list() of objects', list(Book)],
    ['optional() of list() of objects', optional(list(Book))],
    ['valibot, an array', v.array(Book)],
    ['valibot, a list of arrays', list(v.array(Book))],
    ['valibot, text or an object', v.union([v.string(), Book])],
    ['valibot, a tuple', v.tuple([v.string(), Book])],
    ['valibot, a recursive array', v.array(v.lazy((): v.GenericSchema => Book))],
    ['zod, an array', z.array(z.object({ title: z.string() })).nullable()],
    ['zod, text or a list of objects', z.union([z.string(), z.array(z.object({ title: z.string() }))])],
    ['zod, a list of records', list(z.record(z.string(), z.string()))],
    ['zod, recursive', z.array(Tree)],
    ['arktype, an array', type({ title: 'string' }).array()],
    ['arktype, text or an object', type('string').or({ title: 'string' })],
    ['a schema with a JSON Schema', described({ type: ['string', 'object'] })],
    ['a schema with references', described({ $ref: '#/$defs/a', $defs: { a: { items: { type: 'object' } } } })],
  ]
  for (const [title, schema] of objects) {
    it(`is an error without body(): ${title}`, () => {
      const message = loadError(withStatic('args', { create: { fields: schema } })) ?? ''
      assert.match(message, /"fields" of create\(\), which is read from the query/)
      assert.match(message, /body\(/)
    })
  }

  const others: readonly (readonly [string, unknown])[] = [
    ['body()', body(Book)],
    ['int', int],
    ['list(string)', list(string)],
    ['text of JSON', v.pipe(v.string(), v.parseJson(), Book)],
    [
      'text of JSON, by zod',
      z
        .string()
        .transform((text) => JSON.parse(text))
        .pipe(z.object({ a: z.string() })),
    ],
    ['any value', v.any()],
    [
      'a list of texts of JSON',
      list(
        z
          .string()
          .transform((text) => JSON.parse(text))
          .pipe(z.object({ a: z.string() })),
      ),
    ],
    ['any values', list(v.any())],
    ['texts or numbers', list(v.union([v.string(), v.number()]))],
    ['a recursive schema without objects', described({ anyOf: [{ type: 'string' }, { items: { $ref: '#' } }] })],
    ['a text', v.string()],
    ['a date', z.coerce.date()],
  ]
  for (const [title, schema] of others) {
    it(`is left alone: ${title}`, () => {
      class FieldsController extends BooksController {
        override create(_fields?: unknown) {
          return null
        }
      }
      const message = loadError(withStatic('args', { create: { fields: schema } }, FieldsController))
      assert.equal(message, undefined)
    })
  }
})
