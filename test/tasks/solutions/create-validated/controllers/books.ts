import { abort, created } from 'propylon'
import { body, int } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const NewBook = v.object({
  title: v.pipe(v.string(), v.minLength(1, 'Please enter a title')),
  year: v.pipe(v.number(), v.integer()),
})
const Book = v.object({ id: v.number(), title: v.string(), year: v.number() })

const books = new Map<number, v.InferOutput<typeof Book>>()

/** Creates and shows books. */
export class BooksController extends BaseController {
  static args = { create: { sent: body(NewBook) }, show: { id: int } }
  static results = { create: Book, show: Book }

  /** POST /books */
  create(sent: v.InferOutput<typeof NewBook>) {
    const book = { id: books.size + 1, ...sent }
    books.set(book.id, book)
    return created(this.url('book', { id: book.id }), book)
  }

  /** GET /books/1 */
  show(id: number) {
    return books.get(id) ?? abort(404, 'There is no such book.')
  }
}
