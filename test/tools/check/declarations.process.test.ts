import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { LIBRARIES, type Library, shelf } from './declared-programs.ts'
import { check, project, routing } from './project.ts'
import { typedProject } from './typed-project.ts'

type Change = readonly [text: string, by: string]

/** Checks a resource with several changes at once. Returns the findings of each as texts that begin with the rule. */
async function findingsOf(library: Library, all: readonly (readonly Change[])[]): Promise<string[][]> {
  const controllers = all.map((changes, index): [string, string] => {
    const { 'controllers/books.ts': text = '' } = shelf(library, ...changes)
    return [`controllers/c${index}.ts`, text.replace('export class', 'export default class')]
  })
  const routes = all.map((_, index) => `resource('c${index}', 'c${index}')`)
  const files = {
    ...shelf(library),
    'config/routing.ts': routing("resource('book', 'books')", ...routes),
    ...Object.fromEntries(controllers),
  }
  const { findings, stderr } = await check(typedProject(files))
  assert.equal(stderr, '')
  return controllers.map(([path]) =>
    findings
      .filter(({ file }) => file === path)
      .map(({ code, line, action, message, fix }) => `${code} ${line} ${action}: ${message} ${fix}`),
  )
}

const RIGHT: readonly (readonly [title: string, ...changes: Change[]])[] = [
  ['the resource'],
  ['a result that needs no schema', ['list(page) }', "page > 1 ? this.render('books/index') : new Response('x') }"]],
  [
    'a declared type that needs no schema',
    ['index(page: number) {', 'async index(page: number): Promise<Response> {'],
    ['list(page) }', 'new Response(String(page)) }'],
  ],
  ['an object with its members', ['find(id) ?? abort(404) }\n  new', "{ id, title: 'Walden', more: true } }\n  new"]],
  ['an object with spread members', ['find(id) ?? abort(404) }\n  new', '{ ...(find(id) ?? abort(404)) } }\n  new']],
  ['a list with a member', ['list(page) }', "[{ id: page, title: 'Walden' }] }"]],
  [
    'a result that a decorator may change',
    ['find(id) ?? abort(404) }\n  new', '[id] }\n  new'],
    [
      'export class',
      "import { decorate } from 'propylon/decorators'\nconst own = <M extends (id: number) => unknown>(method: M) => (function (this: unknown, id: number) { return method.call(this, id) }) as M\nexport class",
    ],
    ['static args', 'static { decorate(this, { show: [own] }) }\n  static args'],
  ],
  ['a form of a controller', ["form: 'new'", "form: 'books.new'"]],
  [
    'a body that a hook takes too',
    ['export class', "const NEW = body(NewBook, { form: 'new', lists: ['tags'] })\nexport class"],
    ["{ book: body(NewBook, { form: 'new', lists: ['tags'] }) }", '{ book: NEW },\n    __before__: { book: NEW }'],
    ['new() {', '__before__(book?: NewBook) { this.c.book = book }\n  new() {'],
  ],
  ['nothing with a schema of null', ["remove(id); return done(this.url('books'))", 'remove(id); return null']],
  ['text with a schema of null', ["remove(id); return done(this.url('books'))", "remove(id); return 'done'"]],
]

const WRONG: readonly (readonly [
  title: string,
  code: string,
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
    ['"book" as number', 'the schema of its body gives {'],
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
    ['add(book)', "add({ title: '', tags: [] })"],
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
  ['a list that the schema lacks', 'type-error', 10, 'null', ['"tag"'], ["lists: ['tags']", "lists: ['tag']"]],
  [
    'a list that is not an array',
    'type-error',
    10,
    'null',
    ['"title"'],
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
    ['the function body'],
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
  ['a page that is no name', 'static-value', 16, 'show', ['static pages', 'name of a template'], ["'books/show'", '7']],
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
    ['the result is number, but static results takes {'],
    ['list(page) }', 'list(page).length }'],
  ],
  [
    'an object where the schema takes a list',
    'result-type',
    21,
    'index',
    ['static results takes {'],
    ['list(page) }', '{ books: list(page) } }'],
  ],
  [
    'a list where the schema takes an object',
    'result-type',
    22,
    'show',
    ['the result lacks "id", "title", which static results requires'],
    ['find(id) ?? abort(404) }\n  new', '[find(id)] }\n  new'],
  ],
  [
    'an object without a member',
    'result-type',
    22,
    'show',
    ['BooksController.show(): the result lacks "title", which static results requires'],
    ['find(id) ?? abort(404) }\n  new', '{ id } }\n  new'],
  ],
  [
    'a member of another type',
    'result-type',
    22,
    'show',
    ['"id" of the result is string, but static results takes number'],
    ['find(id) ?? abort(404) }\n  new', "{ id: String(id), title: 'x' } }\n  new"],
  ],
  [
    'a member of an element',
    'result-type',
    21,
    'index',
    ['"title" of the result is number'],
    ['list(page) }', '[{ id: page, title: page }] }'],
  ],
  [
    'null where the schema takes an object',
    'result-type',
    22,
    'show',
    ['the result is null'],
    ['abort(404) }\n  new', 'null }\n  new'],
  ],
  ['a value of an outcome', 'result-type', 24, 'create', ['lacks "id"'], ['made) }', '{ title: made.title }) }']],
  [
    'an outcome without a value',
    'result-type',
    24,
    'create',
    ['created() or done() has no value'],
    [', made) }', ') }'],
  ],
  [
    'a declared type that the schema does not take',
    'result-type',
    22,
    'show',
    ['the result is number'],
    ['show(id: number) {', 'show(id: number): number {'],
    ['find(id) ?? abort(404) }\n  new', 'Number(id) }\n  new'],
  ],
  [
    'a value where there is none',
    'result-type',
    27,
    'delete',
    ['{ id: number; }', 'gives no value (null)'],
    ["return done(this.url('books'))", 'return { id }'],
  ],
]

describe('check and what actions take and give', () => {
  for (const library of LIBRARIES) {
    describe(library, () => {
      let findings: string[][]
      before(async () => {
        findings = await findingsOf(library, [
          ...RIGHT.map(([, ...changes]) => changes),
          ...WRONG.map(([, , , , , ...changes]) => changes),
        ])
      })
      for (const [index, [title]] of RIGHT.entries()) {
        it(`accepts ${title}`, () => assert.deepEqual(findings[index], []))
      }
      for (const [index, [title, code, at, action, says]] of WRONG.entries()) {
        it(`refuses ${title}`, () => {
          const [first = '', ...others] = findings[RIGHT.length + index] ?? []
          assert.ok(first.startsWith(`${code} ${at} ${action}: `), first || 'nothing is reported')
          for (const words of says) assert.ok(first.includes(words), `${words} is missing in: ${first}`)
          assert.deepEqual(others, [])
        })
      }
    })
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
