import { BaseController } from '../lib/base.ts'

/** Pages about the site itself. */
export class PagesController extends BaseController {
  /** GET / */
  index() {
    return this.render('pages/index', { title: 'Welcome' })
  }
}
