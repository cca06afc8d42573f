import { int, optional } from 'propylon/converters'
import { paginate } from 'propylon/paginate'
import { BaseController } from '../lib/base.ts'

const words = ['arch', 'gate', 'pillar', 'step', 'temple']

/** Lists words. */
export class WordsController extends BaseController {
  static args = { index: { page: optional(int, 1) } }

  /** GET /words?page=2 */
  index(page: number) {
    return paginate(words, { page, size: 2, response: this.response })
  }
}
