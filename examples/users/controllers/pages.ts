import { BaseController } from '../lib/base.ts'
import { stylesheet } from '../lib/stylesheet.ts'

/** Serves the home page and the stylesheet. */
export class PagesController extends BaseController {
  index() {
    return this.render('home')
  }

  stylesheet() {
    const { text, version } = stylesheet(this.app.debug)
    const current = this.request.query.get('v') === version
    this.response.headers.set('content-type', 'text/css; charset=utf-8')
    this.response.headers.set('cache-control', current ? 'public, max-age=31536000, immutable' : 'no-cache')
    return text
  }
}
