import { XMLRPCController } from 'propylon'
import { decorate, signature } from 'propylon/decorators'
import { states } from '../model/states.ts'

/** An XML-RPC service with one method. */
export class DemoController extends XMLRPCController {
  /** The name of the US state at a place in the order of joining the union. */
  test_battingOrder(posn: number) {
    return states[posn - 1] ?? 'Out of cheese error.'
  }

  static {
    decorate(this, { test_battingOrder: [signature('string', 'int')] })
  }
}
