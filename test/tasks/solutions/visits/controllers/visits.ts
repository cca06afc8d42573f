import { redirect } from 'propylon'
import { BaseController } from '../lib/base.ts'

/** Counts the visits of a browser. */
export class VisitsController extends BaseController {
  /** GET /visits */
  index() {
    const count = Number(this.session.get('visits') ?? 0) + 1
    this.session.set('visits', count)
    this.response.contentType = 'text/plain'
    return `Visit ${count}`
  }

  /** POST /visits/forget */
  forget() {
    this.session.destroy()
    redirect('/visits', 303)
  }
}
