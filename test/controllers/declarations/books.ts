/** A resource that declares what its actions take and give. */
import { abort, created, done, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

export const NewBook = v.object({
  title: v.pipe(v.string(), v.minLength(1, 'Please enter a title')),
  pages: v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.integer('must be an integer'))),
})
/** Removes the member `secret`. */
export const Book = v.object({ id: v.number(), title: v.string() })
export const BookList = v.array(Book)

type NewBook = v.InferOutput<typeof NewBook>
export type Stored = v.InferOutput<typeof Book> & { readonly secret: string }

const books = new Map<number, Stored>()

/** Fills the shelf with one book. */
export function reset(): void {
  books.clear()
  books.set(1, { id: 1, title: 'Walden', secret: 'hidden' })
}

export class BooksController extends WSGIController {
  static args = {
    index: { page: optional(int, 1) },
    show: { id: int },
    create: { book: body(NewBook, { form: 'new' }) },
    update: { id: int, book: body(NewBook, { form: 'edit' }) },
    edit: { id: int },
    delete: { id: int },
  }
  static results = { index: BookList, show: Book, create: Book, update: Book, delete: null }
  static pages = { index: 'books/index', show: 'books/show', new: 'books/new', edit: 'books/edit' }

  index(page: number) {
    return page === 1 ? [...books.values()] : []
  }
  show(id: number) {
    return books.get(id) ?? abort(404)
  }
  new() {
    return {}
  }
  create(book: NewBook) {
    const made = { id: books.size + 1, title: book.title, secret: 'hidden' }
    books.set(made.id, made)
    return created(this.url('book', { id: made.id }), made)
  }
  edit(id: number) {
    return books.get(id) ?? abort(404)
  }
  update(id: number, book: NewBook) {
    const stored = books.get(id) ?? abort(404)
    const changed = { ...stored, title: book.title }
    books.set(id, changed)
    return done(this.url('book', { id }), changed)
  }
  delete(id: number) {
    if (!books.delete(id)) abort(404)
    return done(this.url('books'))
  }
}

export const TEMPLATES: Readonly<Record<string, string>> = {
  'books/index': '<ul><% for (const book of it.result) { %><li><%= book.title %></li><% } %></ul>',
  'books/show': '<h1><%= it.title %></h1><p><%= it.result.secret %></p>',
  'books/new': '<form><%= it.c.formErrors?.title ?? "no errors" %>|<%= it.c.formValues?.pages %></form>',
  'books/edit': '<form><%= it.title %>: <%= it.c.formErrors?.title %></form>',
}

/** Returns a client of the resource. */
export function shelf(): TestApp {
  reset()
  const map = new Mapper()
    .resource('book', 'books')
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}')
  return new TestApp(
    new FrameworkApp({
      map,
      controllers: { books: BooksController },
      templates: TEMPLATES,
      logger: { info() {}, warn() {}, error() {} },
    }),
  )
}
