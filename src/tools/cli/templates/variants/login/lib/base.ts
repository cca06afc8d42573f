import { Visitor } from './visitor.ts'

/** Base class of all controllers. `__before__` runs before every action. Methods that begin with an underscore are not actions. */
export class BaseController extends Visitor {
  /** Finds `this.user`. A subclass that replaces it calls `super.__before__(action)` first. */
  override async __before__(action: string, ..._others: never[]): Promise<void> {
    await super.__before__(action)
    this.c.action = action // Templates have the name of the action as `it.c.action`.
  }
}
