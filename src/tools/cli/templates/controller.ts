import { BaseController } from './project/lib/base.ts'

/** Serves /area/things. */
export class ThingsController extends BaseController {
  /** GET /area/things */
  index() {
    // A page with a layout: return this.render('area/things/index', { … }) shows templates/area/things/index.eta.
    return 'Hello World'
  }
}
