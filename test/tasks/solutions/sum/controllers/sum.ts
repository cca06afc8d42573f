import { int } from 'propylon/converters'
import { BaseController } from '../lib/base.ts'

/** Adds numbers. */
export class SumController extends BaseController {
  static args = { index: { a: int, b: int } }

  /** GET /sum?a=1&b=2 */
  index(a: number, b: number) {
    return { sum: a + b }
  }
}
