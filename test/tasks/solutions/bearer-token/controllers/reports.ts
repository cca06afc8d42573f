import { abort } from 'propylon'
import { safeEqual } from 'propylon/middleware'
import { BaseController } from '../lib/base.ts'

/** Reports, for programs with a token. */
export class ReportsController extends BaseController {
  override __before__(action: string): void {
    super.__before__(action)
    const [, token = ''] = /^Bearer +(.+)$/i.exec(this.request.header('authorization') ?? '') ?? []
    const { REPORTS_TOKEN } = process.env
    if (!REPORTS_TOKEN || !safeEqual(token, REPORTS_TOKEN)) {
      abort(401, 'Send a valid token.', { 'WWW-Authenticate': 'Bearer' })
    }
  }

  /** GET /reports */
  index() {
    return [{ title: 'Rainfall' }]
  }
}
