import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const Book = v.object({ id: v.number(), title: v.string() })

/** Lists books. */
export class BooksController extends BaseController {
  static results = { index: v.array(Book) }
  static pages = { index: 'books/index' }

  /** GET /books */
  index() {
    return [
      { id: 1, title: 'Walden', shelf: 'B 12' },
      { id: 2, title: 'Emma', shelf: 'A 3' },
    ]
  }
}
