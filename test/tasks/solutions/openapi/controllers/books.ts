import { abort } from 'propylon'
import { int } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const Book = v.object({ id: v.number(), title: v.string() })
const books = new Map([[1, { id: 1, title: 'Walden' }]])

/** Shows books. */
export class BooksController extends BaseController {
  static args = { show: { id: int } }
  static results = { show: Book }

  /** Shows a book. */
  show(id: number) {
    return books.get(id) ?? abort(404, 'There is no such book.')
  }
}
