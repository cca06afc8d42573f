import { BaseController } from '../lib/base.ts'

/** Greets visitors. */
export class HelloController extends BaseController {
  /** GET /hello/Joe */
  show(name: string) {
    this.response.contentType = 'text/plain'
    return `Hello, ${name}!`
  }
}
