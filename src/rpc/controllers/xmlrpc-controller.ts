import { defineFrameworkClass } from '../../controllers/metadata.ts'
import type { FaceName } from '../faces/select.ts'
import { RPCController } from './rpc-controller.ts'
import { DEFAULT_FACES } from './service-controller.ts'

/**
 * Base class of XML-RPC services: an RPCController whose only face is `xmlrpc`. Each public method of a subclass is a
 * procedure: `test_battingOrder` is `test.battingOrder`.
 *
 * A `Fault` or `xmlrpc_fault(code, text)`, returned or thrown, is a fault. `abort` and `redirect` are HTTP responses.
 * Other errors are logged and become the fault -32603, which has their text in debug mode only. Every service has
 * `system.listMethods`, `system.methodSignature` and `system.methodHelp`.
 *
 * HTTP (XML-RPC specification, "Header requirements"): a call is a POST of any content type. The status is 411 without a
 * body, 413 over `max_body_length` and 415 for an unknown content encoding. A GET returns a page about the service.
 *
 * @example
 * ```ts
 * import { XMLRPCController } from 'propylon'
 * import { decorate, signature } from 'propylon/decorators'
 *
 * export class DemoController extends XMLRPCController {
 *   /** Greets a person. *\/
 *   test_greet(name: string) {
 *     return `Hello, ${name}!`
 *   }
 *
 *   static {
 *     decorate(this, { test_greet: [signature('string', 'string')] })
 *   }
 * }
 * ```
 */
export class XMLRPCController extends RPCController {
  static override i8 = false
  static override readonly [DEFAULT_FACES]: readonly FaceName[] = ['xmlrpc']
}

defineFrameworkClass(XMLRPCController)
