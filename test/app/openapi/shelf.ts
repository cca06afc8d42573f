/** An application with all that a document can have, for its tests. */
import { WSGIController } from 'propylon'
import { body, bool, int, intBetween, isoDate, list, optional, string } from 'propylon/converters'
import * as v from 'valibot'
import { z } from 'zod'
import { type Document, documentOf, Mapper } from './documents.ts'

const Book = z.object({ id: z.number(), title: z.string() }).meta({ title: 'Book' })
const NewBook = v.object({ title: v.string() })
type NewBook = v.InferOutput<typeof NewBook>
const Form = v.object({ title: v.string(), pages: v.optional(v.number()) })
const Numbers = v.object({ count: v.number() })

class ShelfController extends WSGIController {
  static args = {
    find: {
      id: int,
      page: optional(intBetween(1), 1),
      q: string,
      tags: optional(list(string)),
      since: optional(isoDate),
      isNew: bool,
      sort: v.optional(v.picklist(['title', 'id']), 'id'),
      size: z.coerce.number(),
    },
    add: { book: body(NewBook) },
    put: { id: int, book: body(Form) },
    count: { numbers: body(Numbers) },
  }
  static results = {
    find: Book,
    add: Book,
    put: Book,
    count: z.array(Book),
    ping: null,
    login: null,
    file: Book,
  }
  static statuses = { add: 202, login: 205 }
  static pages = { find: 'shelf/find' }
  static deprecated = ['ping']
  static security = [{ bearer: [] }]

  /**
   * Finds a book. It looks at
   * everything.
   *
   * More about it.
   *
   * @param id number of the shelf
   * @param q text to find
   * @throws HTTPNotFound - there is none.
   * @throws {HTTPConflict} two have the id.
   * @throws 410
   * @throws TypeError - nobody sees it.
   */
  find(
    id: number,
    page: number,
    q: string,
    tags: readonly string[] | undefined,
    since: Date | undefined,
    isNew: boolean,
    sort: string,
    size: number,
  ) {
    return { id, title: [page, q, tags, since, isNew, sort, size].join() }
  }
  /** @param book the new book */
  add(book: NewBook) {
    return { id: 1, title: book.title }
  }
  put(id: number, book: v.InferOutput<typeof Form>) {
    return { id, title: book.title }
  }
  count(numbers: v.InferOutput<typeof Numbers>) {
    return [{ id: numbers.count, title: '' }]
  }
  ping() {}
  login() {}
  /**
   * Returns a file.
   *
   * @param path where it is
   */
  file(path: string) {
    return { id: 1, title: path }
  }
}

const on = (action: string, method: string) => ({ controller: 'shelf', action, conditions: { method } })
let made: Promise<Document> | undefined

/** Returns the document of the shelf. Validated once. */
export function shelf(): Promise<Document> {
  made ??= documentOf(
    new Mapper()
      .connect('/shelf/{id}/{kind:[a-z]+|all}', on('find', 'GET'))
      .connect('/shelf', on('add', 'POST'))
      .connect('/shelf/{id}', on('put', 'PUT'))
      .connect('/count', on('count', 'PATCH'))
      .connect('/ping', on('ping', 'GET'))
      .connect('/login', on('login', 'POST'))
      .connect('/files/{path:.+}', on('file', 'GET'))
      .connect('/one', { ...on('find', 'GET'), id: '1', q: 'x' }),
    { shelf: ShelfController },
    {
      license: { name: 'MIT', identifier: 'MIT' },
      servers: [{ url: 'https://books.example.org' }],
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  )
  return made
}
