import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FindingCode } from '../../../src/tools/check/finding.ts'
import { LIBRARIES, type Library, shelf } from './declared-programs.ts'
import { check, project, routing } from './project.ts'

type Change = readonly [text: string, by: string]

/** Returns the findings as texts that begin with the rule. */
async function findingsIn(library: Library, changes: readonly Change[]): Promise<string[]> {
  const { findings, stderr } = await check(project(shelf(library, ...changes)))
  assert.equal(stderr, '')
  return findings.map(({ code, file, line, action, message, fix }) => {
    const place = file === 'controllers/books.ts' ? line : `${file}:${line}`
    return `${code} ${place} ${action}: ${message} ${fix}`
  })
}

const RIGHT: readonly (readonly [title: string, ...changes: Change[]])[] = [
  ['the resource'],
  [
    'a result that needs no schema',
    ['list(page) }', "page > 1 ? this.render('books/index') : new Response('x') }"],
  ],
  [
    'a declared type that needs no schema',
    ['index(page: number) {', 'async index(page: number): Promise<Response> {'],
    ['list(page) }', 'new Response(String(page)) }'],
  ],
  [
    'an object with its members',
    ['find(id) ?? abort(404) }\n  new', "{ id, title: 'Walden', more: true } }\n  new"],
  ],
  ['an object with spread members', ['find(id) ?? abort(404) }\n  new', '{ ...find(id) } }\n  new']],
  ['a list with a member', ['list(page) }', "[{ id: page, title: 'Walden' }] }"]],
  [
    'a number that the schema takes',
    ['show: Book,', 'show: COUNT,'],
    ['find(id) ?? abort(404) }\n  new', 'id }\n  new'],
    [
      'export class',
      "const COUNT = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }), jsonSchema: { input: () => ({}), output: () => ({}) } } } as const\nexport class",
    ],
  ],
  [
    'a result that a decorator may change',
    ['find(id) ?? abort(404) }\n  new', '[id] }\n  new'],
    [
      'export class',
      "import { decorate } from 'propylon/decorators'\nconst own = (method: () => unknown) => method\nexport class",
    ],
    ['static args', 'static { decorate(this, { show: [own] }) }\n  static args'],
  ],
  ['a form of a controller', ["form: 'new'", "form: 'books.new'"]],
  [
    'a body that a hook takes too',
    ['export class', "const NEW = body(NewBook, { form: 'new', lists: ['tags'] })\nexport class"],
    [
      "{ book: body(NewBook, { form: 'new', lists: ['tags'] }) }",
      '{ book: NEW },\n    __before__: { book: NEW }',
    ],
    ['new() {', '__before__(book?: NewBook) { this.c.book = book }\n  new() {'],
  ],
  [
    'nothing with a schema of null',
    ["remove(id); return done(this.url('books'))", 'remove(id); return null'],
  ],
  ['text with a schema of null', ["remove(id); return done(this.url('books'))", "remove(id); return 'done'"]],
]

const WRONG: readonly (readonly [
  title: string,
  code: FindingCode,
  at: number | string,
  action: string,
  says: readonly string[],
  ...changes: Change[],
])[] = [
  [
    'a body of another type than its parameter',
    'argument-type',
    24,
    'create',
    ['"book" as number', 'the schema of its body gives object'],
    ['create(book: NewBook) {', 'create(book: number) {'],
    ['add(book)', 'add({ title: String(book), tags: [] })'],
  ],
  [
    'a converter for a body without a parameter',
    'args-unknown',
    10,
    'create',
    ['"book"', 'no parameter'],
    ['create(book: NewBook)', 'create()'],
  ],
  [
    'a form that does not exist',
    'body-form-missing',
    10,
    'create',
    ["body({ form: 'nwe' })", 'BooksController.create()', 'Did you mean "new"?'],
    ["form: 'new'", "form: 'nwe'"],
  ],
  [
    'a form of a controller that does not exist',
    'body-form-missing',
    10,
    'create',
    ["body({ form: 'book.new' })", 'the controller "book"', 'Did you mean "books"?'],
    ["form: 'new'", "form: 'book.new'"],
  ],
  [
    'a form of a controller without that action',
    'body-form-missing',
    10,
    'create',
    ["body({ form: 'books.nwe' })", 'BooksController does not have', 'Did you mean "new"?'],
    ["form: 'new'", "form: 'books.nwe'"],
  ],
  [
    'a list that the schema lacks',
    'body-list',
    10,
    'create',
    ['"tag"', 'Did you mean "tags"?'],
    ["lists: ['tags']", "lists: ['tag']"],
  ],
  [
    'a list that is not an array',
    'body-list',
    10,
    'create',
    ['"title"', 'not an array'],
    ["lists: ['tags']", "lists: ['tags', 'title']"],
  ],
  [
    'two bodies',
    'body-repeated',
    10,
    'create',
    ['"book"', '"other"', 'one body'],
    ["lists: ['tags'] }) },", "lists: ['tags'] }), other: body(NewBook, { lists: ['tags'] }) },"],
    ['create(book: NewBook)', 'create(book: NewBook, other: NewBook)'],
    ['add(book)', 'add({ ...book, ...other })'],
  ],
  [
    'a body that is not called',
    'args-no-schema',
    10,
    'create',
    ['the function body, which is not called'],
    ["body(NewBook, { form: 'new', lists: ['tags'] })", 'body'],
  ],
  [
    'a result of an action that does not exist',
    'static-unknown',
    15,
    'shwo',
    ['static results', 'Did you mean "show"?'],
    ['show: Book', 'shwo: Book'],
  ],
  [
    'a page of an action that does not exist',
    'static-unknown',
    16,
    'indx',
    ['static pages', 'Did you mean "index"?'],
    ["{ index: 'books/index'", "{ indx: 'books/index'"],
  ],
  [
    'a status of an action that does not exist',
    'static-unknown',
    17,
    'publish',
    ['static statuses'],
    ['{ create: 201 }', '{ publish: 202 }'],
  ],
  [
    'a deprecated action that does not exist',
    'static-unknown',
    18,
    'sho',
    ['static deprecated', 'Did you mean "show"?'],
    ["['show']", "['sho']"],
  ],
  [
    'a result of a private method',
    'static-unknown',
    15,
    '_show',
    ['begins with an underscore'],
    ['show: Book', '_show: Book'],
    ['new() {', "_show() { return this.url('books') }\n  new() {"],
  ],
  [
    'a template that does not exist',
    'template-missing',
    16,
    'show',
    ['static pages', '"books/shwo"', 'Did you mean "books/show"?'],
    ["'books/show'", "'books/shwo'"],
  ],
  [
    'a page that is no name',
    'static-value',
    16,
    'show',
    ['static pages', 'name of a template'],
    ["'books/show'", '7'],
  ],
  ['a status that is no success', 'static-value', 17, 'create', ['404', '200 to 299'], ['201', '404']],
  [
    'a result that is no schema',
    'static-value',
    15,
    'show',
    ['static results', 'Standard Schema'],
    ['show: Book', 'show: { id: int }'],
  ],
  [
    'a security scheme without a list',
    'static-value',
    19,
    'null',
    ['static security', '[{ bearer: [] }]'],
    ['[{ bearer: [] }]', "['bearer']"],
  ],
  [
    'a number where the schema takes a list',
    'result-type',
    21,
    'index',
    ['returns number', 'BookList', 'takes array'],
    ['list(page) }', 'list(page).length }'],
  ],
  [
    'an object where the schema takes a list',
    'result-type',
    21,
    'index',
    ['returns object', 'takes array'],
    ['list(page) }', '{ books: list(page) } }'],
  ],
  [
    'a list where the schema takes an object',
    'result-type',
    22,
    'show',
    ['returns array', 'takes object'],
    ['find(id) ?? abort(404) }\n  new', '[find(id)] }\n  new'],
  ],
  [
    'an object without a member',
    'result-type',
    22,
    'show',
    ['without "title"', 'Book in static results'],
    ['find(id) ?? abort(404) }\n  new', '{ id } }\n  new'],
  ],
  [
    'a member of another type',
    'result-type',
    22,
    'show',
    ['"id" as string', 'takes number'],
    ['find(id) ?? abort(404) }\n  new', "{ id: String(id), title: 'x' } }\n  new"],
  ],
  [
    'a member of an element',
    'result-type',
    21,
    'index',
    ['"[0].title" as number'],
    ['list(page) }', '[{ id: page, title: page }] }'],
  ],
  [
    'null where the schema takes an object',
    'result-type',
    22,
    'show',
    ['returns null'],
    ['abort(404) }\n  new', 'null }\n  new'],
  ],
  [
    'a value of an outcome',
    'result-type',
    24,
    'create',
    ['without "id"'],
    ['made) }', '{ title: made.title }) }'],
  ],
  [
    'an outcome without a value',
    'result-type',
    24,
    'create',
    ['without a value', 'static results has Book'],
    [', made) }', ') }'],
  ],
  [
    'a declared type that the schema does not take',
    'result-type',
    22,
    'show',
    ['returns number'],
    ['show(id: number) {', 'show(id: number): number {'],
    ['find(id) ?? abort(404) }\n  new', 'Number(id) }\n  new'],
  ],
  [
    'a value where there is none',
    'result-type',
    27,
    'delete',
    ['returns an object', 'gives no value (null)'],
    ["return done(this.url('books'))", 'return { id }'],
  ],
]

describe('check and what actions take and give', () => {
  for (const library of LIBRARIES) {
    for (const [title, ...changes] of RIGHT) {
      it(`accepts ${title} (${library})`, async () =>
        assert.deepEqual(await findingsIn(library, changes), []))
    }
    for (const [title, code, at, action, says, ...changes] of WRONG) {
      it(`refuses ${title} (${library})`, async () => {
        const [first = '', ...others] = await findingsIn(library, changes)
        assert.ok(first.startsWith(`${code} ${at} ${action}: `), first || 'nothing is reported')
        for (const words of says) assert.ok(first.includes(words), `${words} is missing in: ${first}`)
        assert.deepEqual(others, [])
      })
    }
  }
})

it('refuses a body of an action that only GET reaches', async () => {
  const files = {
    ...shelf('zod'),
    'config/routing.ts': routing(
      "resource('book', 'books', { except: ['create'] })",
      "connect('/add', { controller: 'books', action: 'create', conditions: { method: 'GET' } })",
    ),
  }
  const { findings } = await check(project(files))
  assert.deepEqual(
    findings.map(({ code, line, action }) => [code, line, action]),
    [['body-unread', 10, 'create']],
  )
})

describe('check and the statuses of outcomes', () => {
  const described = (...changes: Change[]) => {
    const { 'app.ts': app = '', ...files } = shelf('valibot', ...changes)
    return check(
      project({
        ...files,
        'app.ts': app.replace('  map,', "  map,\n  openapi: { title: 'B', version: '1' },"),
      }),
    )
  }
  const codesIn = async (...changes: Change[]) =>
    (await described(...changes)).findings.map(({ code, severity, action }) => [code, severity, action])

  const UNDECLARED = ['  static statuses = { create: 201 }\n', ''] as const

  it('warns of done() in the action that creates', async () => {
    assert.deepEqual(await codesIn(UNDECLARED), [])
    assert.deepEqual(await codesIn(UNDECLARED, ['return created(', 'return done(']), [
      ['status-undocumented', 'warning', 'create'],
    ])
  })

  it('warns of created() in any other action, unless its status is declared', async () => {
    const changed = [
      "return done(this.url('book', { id }), change",
      "return created(this.url('book', { id }), change",
    ] as const
    const [finding, ...others] = (await described(changed)).findings
    assert.deepEqual([finding?.code, finding?.action, others], ['status-undocumented', 'update', []])
    assert.match(finding?.message ?? '', /whose status is 201, but the OpenAPI document has 200/)
    assert.deepEqual(await codesIn(changed, ['statuses = { create: 201 }', 'statuses = { update: 201 }']), [])
  })
})

describe('check and schemas without a JSON Schema', () => {
  const ZOD = ['import { Book,', "import { z } from 'zod'\nimport { Book,"] as const

  it('says once which package makes those of Valibot', async () => {
    const { 'node_modules/@valibot/to-json-schema/package.json': _, ...others } = shelf('valibot')
    const { 'node_modules/@valibot/to-json-schema/index.js': _index, ...files } = others
    const { findings, status } = await check(project(files))
    const [first, ...more] = findings
    assert.deepEqual(
      [first?.code, first?.severity, first?.line, first?.action, more, status],
      ['schema-undescribed', 'warning', 10, 'create', [], 0],
    )
    assert.match(first?.fix ?? '', /npm install @valibot\/to-json-schema/)
  })

  it('names a schema that JSON Schema cannot express', async () => {
    const dated = ['show: Book,', 'show: z.custom<{ at: Date }>(),'] as const
    const [finding, ...others] = await findingsIn('zod', [
      dated,
      ZOD,
      ['find(id) ?? abort(404) }\n  new', 'find(id) ? { at: new Date() } : abort(404) }\n  new'],
    ])
    assert.match(
      finding ?? '',
      /^schema-undescribed 16 show: The schema for the result of BooksController\.show\(\)/,
    )
    assert.deepEqual(others, [])
  })

  it('names a converter of an action that documents describe', async () => {
    const byHand =
      "const own = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } } as const\n"
    const [finding, ...others] = await findingsIn('zod', [
      ['show: { id: int }', 'show: { id: own }'],
      ['export class', `${byHand}export class`],
    ])
    assert.match(finding ?? '', /^schema-undescribed 10 show: The schema for "id" .* ~standard\.jsonSchema/)
    assert.deepEqual(others, [])
  })
})
