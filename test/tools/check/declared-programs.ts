import { type Files, routing } from './project.ts'

/** Schemas of each library, for the file `model/books.ts`. */
const SCHEMAS = {
  valibot: `import * as v from 'valibot'

export const NewBook = v.object({ title: v.pipe(v.string(), v.minLength(1)), tags: v.array(v.string()) })
export type NewBook = v.InferOutput<typeof NewBook>
export const Book = v.object({ id: v.number(), title: v.string(), pages: v.optional(v.number()) })
export const BookList = v.array(Book)
`,
  zod: `import { z } from 'zod'

export const NewBook = z.object({ title: z.string().min(1), tags: z.string().array() })
export type NewBook = z.infer<typeof NewBook>
export const Book = z.object({ id: z.int(), title: z.string(), pages: z.number().optional() })
export const BookList = z.array(Book)
`,
  arktype: `import { type } from 'arktype'

export const NewBook = type({ title: 'string >= 1', tags: 'string[]' })
export type NewBook = typeof NewBook.infer
export const Book = type({ id: 'number.integer', title: 'string', 'pages?': 'number' })
export const BookList = Book.array()
`,
} as const

/** The libraries of schemas. */
export type Library = keyof typeof SCHEMAS
export const LIBRARIES: readonly Library[] = ['valibot', 'zod', 'arktype']

const APP = `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
})
`

const MODEL = `import type { NewBook } from './books.ts'

interface Stored { id: number; title: string; secret: string }
const books = new Map<number, Stored>()

export function find(id: number): Stored | undefined { return books.get(id) }
export function list(page: number): Stored[] { return [...books.values()].slice(page - 1) }
export function add({ title }: NewBook): Stored {
  const book = { id: books.size + 1, title, secret: 'hidden' }
  books.set(book.id, book)
  return book
}
export function change(id: number, { title }: NewBook): Stored | undefined {
  const book = books.get(id)
  if (book !== undefined) book.title = title
  return book
}
export function remove(id: number): void { books.delete(id) }
`

const BOOKS = `import { abort, created, done, WSGIController } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import { Book, BookList, NewBook } from '../model/books.ts'
import { add, change, find, list, remove } from '../model/shelf.ts'

export class BooksController extends WSGIController {
  static args = {
    index: { page: optional(int, 1) },
    show: { id: int },
    create: { book: body(NewBook, { form: 'new', lists: ['tags'] }) },
    update: { id: int, book: body(NewBook, { form: 'edit', lists: ['tags'] }) },
    edit: { id: int },
    delete: { id: int },
  }
  static results = { index: BookList, show: Book, create: Book, update: Book, delete: null }
  static pages = { index: 'books/index', show: 'books/show', new: 'books/new', edit: 'books/edit' }
  static statuses = { create: 201 }
  static deprecated = ['show']
  static security = [{ bearer: [] }]

  index(page: number) { return list(page) }
  show(id: number) { return find(id) ?? abort(404) }
  new() { return {} }
  create(book: NewBook) { const made = add(book); return created(this.url('book', { id: made.id }), made) }
  edit(id: number) { return find(id) ?? abort(404) }
  update(id: number, book: NewBook) { return done(this.url('book', { id }), change(id, book) ?? abort(404)) }
  delete(id: number) { remove(id); return done(this.url('books')) }
}
`

/** The package that makes JSON Schemas of the schemas of Valibot, as far as its presence goes. */
const TO_JSON_SCHEMA: Files = {
  'node_modules/@valibot/to-json-schema/package.json': '{ "type": "module", "exports": "./index.js" }\n',
  'node_modules/@valibot/to-json-schema/index.js': 'export {}\n',
}

/**
 * Returns a project with a resource that declares what its actions take and give.
 *
 * @param changes - texts of the controller and what replaces each.
 */
export function shelf(library: Library, ...changes: readonly (readonly [text: string, by: string])[]): Files {
  let controller = BOOKS
  for (const [text, by] of changes) {
    if (!controller.includes(text)) throw new Error(`The controller has no text ${text}`)
    controller = controller.replace(text, () => by)
  }
  return {
    ...TO_JSON_SCHEMA,
    'app.ts': APP,
    'config/routing.ts': routing("resource('book', 'books')"),
    'controllers/books.ts': controller,
    'model/books.ts': SCHEMAS[library],
    'model/shelf.ts': MODEL,
    'templates/books/index.eta': '<% for (const book of it.result) { %><%= book.title %><% } %>',
    'templates/books/show.eta': '<%= it.title %>',
    'templates/books/new.eta': '<%= it.c.formErrors?.title %>',
    'templates/books/edit.eta': '<%= it.c.formErrors?.title %>',
  }
}
