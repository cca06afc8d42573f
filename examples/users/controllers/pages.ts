import { BaseController } from '../lib/base.ts'

/** Serves the home page. */
export class PagesController extends BaseController {
  index() {
    return this.render('home')
  }
}
