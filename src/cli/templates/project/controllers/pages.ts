import { BaseController } from '../lib/base.ts'

/** The pages that are about the site itself. */
export class PagesController extends BaseController {
  /** GET / */
  index() {
    return this.render('pages/index', { title: 'Welcome' })
  }
}
