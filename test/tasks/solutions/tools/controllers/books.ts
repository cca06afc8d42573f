import { string } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const titles = ['Walden', 'Emma']

/** Searches books. */
export class BooksController extends BaseController {
  static tools = ['search']
  static args = { search: { word: string } }
  static results = { search: v.object({ titles: v.array(v.string()) }) }

  /** Finds books by a word of their title. */
  search(word: string) {
    return { titles: titles.filter((title) => title.toLowerCase().includes(word.toLowerCase())) }
  }
}
