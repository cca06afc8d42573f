// Base class of all controllers.
import { WSGIController } from 'propylon'

/** Base class of all controllers. `__before__` runs before every action. Methods that begin with an underscore are not actions. */
export class BaseController extends WSGIController {
  /** A subclass that replaces it calls `super.__before__(action)`, and may take other arguments behind `action`. */
  __before__(action: string, ..._others: never[]): void | Promise<void> {
    this.c.action = action // Templates have the name of the action as `it.c.action`.
  }
}
