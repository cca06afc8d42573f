import { abort } from 'propylon'
import { BaseController } from '../lib/base.ts'

/** Says hello. */
export class HelloController extends BaseController {
  index() {
    return 'Hello World'
  }

  greet(id?: string) {
    if (id === undefined) abort(404, 'Greet whom? Ask for /hello/greet/NAME')
    this.response.headers.set('content-type', 'text/plain; charset=utf-8')
    // The name comes from the URL: no browser shall guess that it is a page.
    this.response.headers.set('x-content-type-options', 'nosniff')
    return `Hello, ${id}!`
  }

  /** Not an action: the underscore keeps it from URLs. */
  _secret() {
    return 'The gateway is open'
  }
}
