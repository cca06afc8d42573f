/** Hooks of controllers of a created project, which are called with the arguments that they name. */
import type { Environ } from 'propylon/wsgi'
import { BaseController } from '../../../../src/tools/cli/templates/project/lib/base.ts'

export class NoneController extends BaseController {
  override __before__() {}
}

export class NameController extends BaseController {
  override __before__(id: string) {
    return super.__before__(id)
  }
}

export class MoreController extends BaseController {
  override async __before__(action: string, environ: Environ, page = 1) {
    await super.__before__(action)
    this.c.path = `${environ.PATH_INFO} ${page}`
  }
}

export class ForgetfulController extends BaseController {
  override async __before__() {
    // error: TS2555: Expected at least 1 arguments, but got 0.
    await super.__before__()
  }
}

export class MistakenController extends BaseController {
  override async __before__(action: string, environ: Environ) {
    // error: TS2345: Argument of type 'Environ' is not assignable to parameter of type 'string'.
    await super.__before__(environ)

    // error: TS2345: Argument of type 'Environ' is not assignable to parameter of type 'never'.
    await super.__before__(action, environ)
  }
}
