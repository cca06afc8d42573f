import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { BooksController } from '../../controllers/declarations/books.ts'
import { documentOf, Mapper, operationIn } from './documents.ts'
import { shelf } from './shelf.ts'

describe('the document of an application', () => {
  it('has the members of the options', async () => {
    const document = await documentOf(
      new Mapper(),
      {},
      {
        description: 'All books.',
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { email: 'books@example.org' },
        termsOfService: 'https://books.example.org/terms',
        servers: [{ url: 'https://books.example.org/v1/' }],
        security: [{ key: [] }],
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
        tags: [{ name: 'other', description: 'Others.' }],
      },
    )
    assert.deepEqual(document.info, {
      title: 'Test',
      version: '1.0.0',
      description: 'All books.',
      termsOfService: 'https://books.example.org/terms',
      contact: { email: 'books@example.org' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
    assert.deepEqual(document.servers, [{ url: 'https://books.example.org/v1/' }])
    assert.deepEqual(document.security, [{ key: [] }])
    assert.deepEqual(document.components.securitySchemes, {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    })
    assert.deepEqual(document.tags, [{ name: 'other', description: 'Others.' }])
  })

  it('describes an operation by its doc comment', async () => {
    const { summary, description, parameters = [], requestBody, tags } = operationIn(await shelf(), 'shelf_find')
    assert.equal(summary, 'Finds a book')
    assert.equal(description, 'Finds a book. It looks at\neverything.\n\nMore about it.')
    assert.deepEqual(
      parameters.map(({ name, description }) => [name, description]).filter(([, text]) => text !== undefined),
      [
        ['id', 'number of the shelf'],
        ['q', 'text to find'],
      ],
    )
    assert.equal(requestBody, undefined)
    assert.deepEqual(tags, ['shelf'])
    assert.equal(operationIn(await shelf(), 'shelf_add').requestBody?.description, 'the new book')
  })

  it('has a summary and a description without a doc comment', async () => {
    const document = await documentOf(new Mapper().resource('book', 'books'), { books: BooksController })
    assert.equal(operationIn(document, 'books_show').summary, 'Show a book')
    assert.equal(operationIn(document, 'books_index').description, 'List books.')
    assert.equal(operationIn(await shelf(), 'shelf_put').summary, 'Put in shelf')
  })

  it('keeps all letters in titles', async () => {
    class Umlaut extends WSGIController {
      static results = { größe_zeigen: null }
      größe_zeigen() {}
    }
    const map = new Mapper().connect('/g', { controller: 'übersicht', action: 'größe_zeigen' })
    const document = await documentOf(map, { übersicht: Umlaut })
    assert.equal(operationIn(document, 'übersicht_größe_zeigen').summary, 'Größe zeigen in übersicht')
  })

  it('has the parameters of the path and the query', async () => {
    const { parameters = [] } = operationIn(await shelf(), 'shelf_find')
    const noNul = '^[^\\u0000]*$'
    const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(
      parameters.map(({ description, ...rest }) => rest),
      [
        { name: 'id', in: 'path', required: true, schema: { type: 'integer', ...safe } },
        {
          name: 'kind',
          in: 'path',
          required: true,
          schema: { type: 'string', pattern: '^(?:[a-z]+|all)$', minLength: 1 },
        },
        { name: 'page', in: 'query', schema: { type: 'integer', ...safe, minimum: 1, default: 1 } },
        { name: 'q', in: 'query', required: true, schema: { type: 'string', pattern: noNul } },
        {
          name: 'tags',
          in: 'query',
          schema: { type: 'array', items: { type: 'string', pattern: noNul, minLength: 1 }, minItems: 1 },
        },
        {
          name: 'since',
          in: 'query',
          schema: { type: 'string', format: 'date', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
        },
        { name: 'isNew', in: 'query', required: true, schema: { type: 'boolean' } },
        { name: 'sort', in: 'query', schema: { type: 'string', enum: ['title', 'id'], default: 'id' } },
        { name: 'size', in: 'query', required: true, schema: { type: 'number' } },
      ],
    )
  })

  it('has no parameter for an argument that the route states', async () => {
    const { parameters = [] } = operationIn(await shelf(), 'shelf_find_get')
    const names = parameters.map(({ name }) => name)
    assert.ok(!names.includes('id') && !names.includes('q') && names.includes('page'))
  })

  it('describes a value that may contain slashes', async () => {
    const { parameters = [] } = operationIn(await shelf(), 'shelf_file')
    assert.deepEqual(parameters, [
      {
        name: 'path',
        in: 'path',
        required: true,
        description: 'where it is. The value may contain slashes.',
        schema: {
          type: 'string',
          pattern: '^[^\\u0000]*$',
          minLength: 1,
          not: { pattern: '(?:^|/)\\.\\.?(?:/|$)' },
        },
      },
    ])
  })

  it('has the body as JSON and as a form', async () => {
    const { requestBody, 'x-codegen-request-body-name': name } = operationIn(await shelf(), 'shelf_add')
    assert.equal(requestBody?.required, true)
    assert.deepEqual(Object.keys(requestBody?.content ?? {}), ['application/json', 'application/x-www-form-urlencoded'])
    assert.equal(name, 'book')
  })

  it('leaves out fields that are no text in the schema of a form', async () => {
    const { requestBody } = operationIn(await shelf(), 'shelf_put')
    const form = requestBody?.content['application/x-www-form-urlencoded']?.schema
    assert.deepEqual(form, { $ref: '#/components/schemas/BookInput' })
    const json = requestBody?.content['application/json']?.schema
    assert.deepEqual(Object.keys(Object(json).properties), ['title', 'pages'])
  })

  it('has no form if a required field is no text', async () => {
    const { requestBody } = operationIn(await shelf(), 'shelf_count')
    assert.deepEqual(Object.keys(requestBody?.content ?? {}), ['application/json'])
  })

  it('leaves out alternatives that are no form', async () => {
    const text = v.object({ kind: v.literal('text'), text: v.string() })
    const count = v.object({ kind: v.literal('count'), count: v.number() })
    class NotesController extends WSGIController {
      static args = {
        save: { note: body(v.variant('kind', [text, count])) },
        add: { note: body(v.intersect([text, count])) },
      }
      static results = { save: null, add: null }
      save(note: unknown) {
        void note
      }
      add(note: unknown) {
        void note
      }
    }
    const map = new Mapper()
      .connect('/save', { controller: 'notes', action: 'save', conditions: { method: 'POST' } })
      .connect('/add', { controller: 'notes', action: 'add', conditions: { method: 'POST' } })
    const document = await documentOf(map, { notes: NotesController })
    const typesOf = (id: string) => operationIn(document, id).requestBody?.content
    const form = Object(typesOf('notes_save')?.['application/x-www-form-urlencoded']?.schema)
    assert.deepEqual([form.anyOf ?? form.oneOf].flat().length, 1)
    assert.deepEqual(Object.keys(typesOf('notes_add') ?? {}), ['application/json'])
  })

  const statuses: [string, string[]][] = [
    ['shelf_find', ['200', '400', '401', '404', '406', '409', '410']],
    ['shelf_add', ['202', '303', '400', '401', '403', '413', '415']],
    ['shelf_put', ['200', '303', '400', '401', '403', '404', '413', '415']],
    ['shelf_ping', ['204', '401']],
    ['shelf_login', ['205', '303', '401', '403']],
  ]
  for (const [id, expected] of statuses) {
    it(`has the statuses ${expected.join(', ')} for ${id}`, async () => {
      assert.deepEqual(Object.keys(operationIn(await shelf(), id).responses), expected)
    })
  }

  const errors: [number, string][] = [
    [404, 'there is none.'],
    [409, 'two have the id.'],
    [410, 'The resource was removed permanently.'],
  ]
  for (const [status, description] of errors) {
    it(`describes the error ${status} of the doc comment`, async () => {
      assert.equal(operationIn(await shelf(), 'shelf_find').responses[status]?.description, description)
    })
  }

  it('has a problem for an operation where nothing else can happen', async () => {
    class PingController extends WSGIController {
      static results = { index: null }
      index() {}
    }
    const document = await documentOf(new Mapper().connect('/ping', { controller: 'ping' }), {
      ping: PingController,
    })
    assert.deepEqual(Object.keys(operationIn(document, 'ping_index').responses), ['204', '400'])
  })

  it('has JSON, and HTML if there is a page', async () => {
    const document = await shelf()
    const content = (id: string, status: string) => operationIn(document, id).responses[status]?.content
    const json = { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } }
    assert.deepEqual(content('shelf_find', '200'), { ...json, 'text/html': { schema: { type: 'string' } } })
    assert.deepEqual(content('shelf_put', '200'), json)
    assert.equal(content('shelf_ping', '204'), undefined)
  })

  it('has the security and the deprecations of a class', async () => {
    const document = await shelf()
    assert.deepEqual(document.security, [])
    assert.deepEqual(operationIn(document, 'shelf_add').security, [{ bearer: [] }])
    assert.equal(operationIn(document, 'shelf_ping').deprecated, true)
    assert.equal(operationIn(document, 'shelf_add').deprecated, undefined)
  })

  it('has 401 where the options require security', async () => {
    const map = new Mapper().resource('book', 'books')
    const document = await documentOf(
      map,
      { books: BooksController },
      { security: [{ key: [] }], securitySchemes: { key: { type: 'http', scheme: 'basic' } } },
    )
    assert.ok('401' in operationIn(document, 'books_index').responses)
  })

  it('has a tag for each controller', async () => {
    class DescribedController extends BooksController {
      static description = 'Books to lend.'
    }
    const map = new Mapper().resource('book', 'books').resource('pen', 'pens').resource('map', 'maps')
    const controllers = { books: DescribedController, pens: BooksController, maps: BooksController }
    const { tags } = await documentOf(map, controllers, { tags: [{ name: 'maps', description: 'Maps.' }] })
    assert.deepEqual(tags, [
      { name: 'maps', description: 'Maps.' },
      { name: 'books', description: 'Books to lend.' },
      { name: 'pens', description: 'Actions of pens.' },
    ])
  })

  it('keeps input and output of a schema apart', async () => {
    const { components } = await shelf()
    assert.deepEqual(components.schemas.Book?.additionalProperties, false)
    const document = await documentOf(new Mapper().resource('book', 'books'), { books: BooksController })
    assert.deepEqual(Object.keys(document.components.schemas), ['Book', 'BookInput', 'Problem'])
  })

  it('is not made without the option', async () => {
    const app = new FrameworkApp({ map: new Mapper(), controllers: {} })
    assert.equal(await app.openapi(), undefined)
  })
})

describe('the method of an action with a body on a route for all methods', () => {
  for (const [allow, methods] of [
    [['GET', 'POST', 'PUT'], ['post']],
    [['GET', 'PUT', 'PATCH'], ['put']],
    [['PATCH'], ['patch']],
    [['DELETE'], ['delete']],
    [['GET'], []],
  ] as const) {
    it(`is ${methods.join() || 'none'} if the controller allows ${allow}`, async () => {
      class NotesController extends WSGIController {
        static allow = allow
        static args = { save: { note: body(v.object({ text: v.string() })) } }
        static results = { save: v.string() }
        save(note: { text: string }) {
          return note.text
        }
      }
      const map = new Mapper().connect('/notes', { controller: 'notes', action: 'save' })
      const { paths } = await documentOf(map, { notes: NotesController })
      assert.deepEqual(Object.keys(paths['/notes'] ?? {}), methods)
    })
  }
})

describe('the components of a document', () => {
  it('have problem details for its operations', async () => {
    const { components } = await shelf()
    assert.deepEqual(components.responses, {
      Problem: {
        description: 'Problem details (RFC 9457).',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    })
    assert.ok(components.schemas?.Problem)
  })

  it('are empty without operations', async () => {
    const { components } = await documentOf(new Mapper(), {})
    assert.deepEqual(components, { schemas: {} })
  })
})
