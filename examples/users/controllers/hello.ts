import { abort } from 'propylon'
import { wantsPage } from '../lib/accepting.ts'
import { BaseController } from '../lib/base.ts'

/** Returns greetings: a page for browsers, and plain text. */
export class HelloController extends BaseController {
  index() {
    this.response.headers.set('vary', 'Accept')
    return wantsPage(this.request) ? this.render('hello') : 'Hello World'
  }

  greet(id?: string) {
    if (id === undefined) abort(404, 'The name is missing. Request /hello/greet/NAME')
    this.response.headers.set('content-type', 'text/plain; charset=utf-8')
    // Prevents browsers from rendering the name, which comes from the URL, as HTML.
    this.response.headers.set('x-content-type-options', 'nosniff')
    return `Hello, ${id}!`
  }

  /** Not an action, because the name starts with an underscore. */
  _secret() {
    return 'The gateway is open'
  }
}
