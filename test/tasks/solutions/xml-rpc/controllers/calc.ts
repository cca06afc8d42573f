import { XMLRPCController, xmlrpc_fault } from 'propylon'
import { callSignature } from 'propylon/rpc'

/** Calculates, for programs. */
export class CalcController extends XMLRPCController {
  static override signatures = { calc_divide: callSignature('double', 'int', 'int') }

  /** Divides a number by another. */
  calc_divide(a: number, b: number) {
    return b === 0 ? xmlrpc_fault(1, 'division by zero') : a / b
  }
}
