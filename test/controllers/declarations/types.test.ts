/** Checked by the compiler: accepted code must compile, and each `@ts-expect-error` must be an error. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type ArgumentDeclarations,
  created,
  done,
  FrameworkApp,
  type FrameworkAppOptions,
  Mapper,
  Response,
  WSGIController,
} from 'propylon'
import { body, int, list, optional, string } from 'propylon/converters'
import type { WSGIApplication } from 'propylon/wsgi'
import * as v from 'valibot'
import * as z from 'zod'
import { BooksController } from './books.ts'

const Book = v.object({ id: v.number(), title: v.string(), tags: v.optional(v.array(v.string())) })
const NewBook = v.object({ title: v.string(), pages: v.optional(v.number(), 1) })
type Book = v.InferOutput<typeof Book>
type NewBook = v.InferOutput<typeof NewBook>
const book: Book = { id: 1, title: 'Emma' }
const untyped = {
  '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) },
} as const
const application: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [])
  return []
}
const map = () => new Mapper().connect('/{controller}/{action}')

class RightController extends BooksController {
  static override args = {
    ...BooksController.args,
    search: { q: optional(string), tag: list(string) },
    raw: { id: int },
  }
  static override results = {
    ...BooksController.results,
    count: z.number(),
    search: z.array(z.object({ id: z.number(), title: z.string() })),
    later: Book,
    many: v.array(Book),
    frozen: Book,
    text: Book,
    stream: Book,
    answer: Book,
    mounted: Book,
    nothing: Book,
    outcome: Book,
    gone: null,
    raw: untyped,
    open: Book,
    dated: z.object({ at: z.date() }),
  }
  static override pages = { ...BooksController.pages, search: 'books/search' }
  static statuses = { later: 202 }
  count(): number {
    return 1
  }
  search({ q, tag }: { q: string | undefined; tag: string[] }) {
    return q === undefined || tag.length === 0 ? [] : [book]
  }
  async later() {
    return Promise.resolve(book)
  }
  many(): readonly Book[] {
    return [book]
  }
  frozen(): { readonly id: number; readonly title: string; readonly tags: readonly string[] } {
    return { ...book, tags: [] }
  }
  text() {
    return this.render('books/show')
  }
  *stream() {
    yield 'a'
  }
  answer(which?: boolean) {
    return which ? new Response('x') : globalThis.Response.json(book)
  }
  mounted() {
    return application
  }
  nothing() {
    this.response
  }
  async outcome() {
    return book.id > 1 ? created('/books/1', book) : done('/books', book)
  }
  gone() {
    return book.id > 1 ? null : done('/books')
  }
  raw(id: number) {
    return { id }
  }
  open(): unknown {
    return book
  }
  dated() {
    return { at: new Date() }
  }
}

class WrongResult extends WSGIController {
  static results = { show: Book }
  show() {
    return { id: 'x' }
  }
}
class WrongOutcome extends WSGIController {
  static results = { create: Book }
  create() {
    return created('/', { id: 1 })
  }
}
class WrongList extends WSGIController {
  static results = { index: v.array(Book) }
  async index() {
    return { books: [book] }
  }
}
class WrongNumber extends WSGIController {
  static results = { count: z.string() }
  count(): number {
    return 1
  }
}
class NoValue extends WSGIController {
  static results = { create: Book }
  create() {
    return book.id > 1 ? created('/books/1', book) : done('/books')
  }
}
class ValueForNone extends WSGIController {
  static results = { delete: null }
  delete() {
    return done('/', book)
  }
}
class WrongBody extends WSGIController {
  static args = { create: { book: body(NewBook) } }
  create(book: { name: string }) {
    return book
  }
}
class WrongConverter extends WSGIController {
  static args = { show: { id: int } }
  show(id: string) {
    return id
  }
}
class WrongMember extends WSGIController {
  static args = { show: { id: int, q: optional(string) } }
  show({ id, q }: { id: number; q: string }) {
    return `${id} ${q}`
  }
}
class Swapped extends WSGIController {
  static args = { update: { id: int, book: body(NewBook) } }
  update(book: NewBook, id: number) {
    return `${id} ${book.title}`
  }
}
class UnknownArgs extends WSGIController {
  static args = { shwo: { id: int } }
  show(id: number) {
    return { id }
  }
}
class UnknownResult extends WSGIController {
  static results = { shwo: Book }
  show() {
    return book
  }
}
class UnknownPage extends WSGIController {
  static pages = { shwo: 'books/show' }
  show() {
    return book
  }
}
class UnknownStatus extends WSGIController {
  static statuses = { shwo: 202 }
  show() {
    return book
  }
}
class Annotated extends WSGIController {
  static args: ArgumentDeclarations = { shwo: { id: int } }
  show() {
    return book
  }
}

describe('the types of declarations', () => {
  it('accept the classes of a record', () => {
    const app = new FrameworkApp({
      map: map(),
      controllers: {
        books: BooksController,
        right: RightController,
        annotated: Annotated,
        environ: (environ, start_response) => {
          start_response('200 OK', [])
          return [environ.PATH_INFO]
        },
        lazy: () => import('./books.ts'),
      },
    })
    assert.ok(app instanceof FrameworkApp)
    const options: FrameworkAppOptions = { map: map(), controllers: { books: BooksController } }
    assert.ok(new FrameworkApp(options))
    class OwnApp extends FrameworkApp {
      constructor() {
        super({ map: map(), controllers: { books: BooksController } })
      }
    }
    assert.ok(new OwnApp() instanceof FrameworkApp)
  })

  it('refuse the classes of a record that are wrong', () => {
    const create = (make: () => FrameworkApp) => assert.ok(make)
    // @ts-expect-error show() returns a value that its schema does not take
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongResult } }))
    // @ts-expect-error the value of created() lacks the title
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongOutcome } }))
    // @ts-expect-error an object instead of a list
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongList } }))
    // @ts-expect-error a number instead of text
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongNumber } }))
    // @ts-expect-error done() without a value
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: NoValue } }))
    // @ts-expect-error a value where there is none
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: ValueForNone } }))
    // @ts-expect-error the body has no name
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongBody } }))
    // @ts-expect-error a number for text
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongConverter } }))
    // @ts-expect-error q may be undefined
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: WrongMember } }))
    // @ts-expect-error no such method
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: UnknownArgs } }))
    // @ts-expect-error no such action
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: UnknownResult } }))
    // @ts-expect-error no such action
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: UnknownPage } }))
    // @ts-expect-error no such action
    create(() => new FrameworkApp({ map: map(), controllers: { wrong: UnknownStatus } }))
    // The names of the parameters are not known.
    create(() => new FrameworkApp({ map: map(), controllers: { swapped: Swapped } }))
  })
})
