import { type BaseClass, WSGIController } from 'propylon'

/**
 * Base class of all controllers of this application.
 *
 * `__before__` runs before every action, `__after__` after it. Methods that begin with an underscore cannot be reached
 * from a URL.
 */
class BaseController extends WSGIController {
  /**
   * Templates have the name of the action as `it.c.action`. A subclass that replaces it calls `super.__before__(action)`,
   * and may take other arguments behind `action`.
   */
  __before__(action: string, ..._others: never[]): void | Promise<void> {
    this.c.action = action
  }
}

// With this type the compiler checks that the actions of all subclasses return what can be sent.
const Checked: BaseClass<typeof BaseController> = BaseController
type Checked = BaseController

export { Checked as BaseController }
