import type { BaseClass } from 'propylon'
import { limit } from 'propylon/middleware'
import type { Environ, StartResponse } from 'propylon/wsgi'
import { BaseController } from './base.ts'

/**
 * Allows each client thirty forms a minute. Each process counts for itself: give the limit a `store` if there are several.
 */
const limited = limit({ max: 30, window: 60, name: 'forms' })

/** Base class of the controllers that create users, check and hash passwords, and send mail. */
class LimitedController extends BaseController {
  override __call__(environ: Environ, start_response: StartResponse) {
    if (environ.REQUEST_METHOD !== 'POST') return super.__call__(environ, start_response)
    return limited((...call) => super.__call__(...call))(environ, start_response)
  }
}

const Checked: BaseClass<typeof LimitedController> = LimitedController
type Checked = LimitedController

export { Checked as LimitedController }
