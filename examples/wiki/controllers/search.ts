import { abort } from 'propylon'
import { intBetween, optional, string } from 'propylon/converters'
import { BaseController } from '../lib/base.ts'
import { PageListResult } from '../lib/results.ts'
import { excerpt, wordsOf } from '../model/search.ts'

const MAX_WORDS = 50

/** Finds pages by words. */
export class SearchController extends BaseController {
  static args = { index: { q: optional(string, ''), page: optional(intBetween(1), 1) } }
  static results = { index: PageListResult }

  /**
   * Finds the pages that contain all words, 50 to a page.
   *
   * @param q words
   * @param page number of the part of the list, from 1
   * @throws HTTPNotFound - the list ends before this part.
   */
  async index(q: string, page: number, format = 'html') {
    const words = wordsOf(q)
    if (words.length > MAX_WORDS) abort(400, `Search for ${MAX_WORDS} words or less.`)
    const list = await this._listPages(page, words)
    if (format === 'json') return list
    const results = list.pages.map((each) => ({ ...each, excerpt: excerpt(each.content, words) }))
    // The script of the page requests the list alone.
    this.response.headers.addToken('Vary', 'HX-Request')
    const options = this.request.header('hx-request') === 'true' ? { block: 'results' } : {}
    return this.render('pages/search', { q, total: list.total, results }, options)
  }
}
