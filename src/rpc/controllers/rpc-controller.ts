/**
 * `RPCController`: the base class of services, which all protocols share.
 *
 * @module
 */

import { isInstance } from '../../base/thrown.ts'
import { ACTION_KEY, stateOf } from '../../controllers/lifecycle.ts'
import { defineFrameworkClass } from '../../controllers/metadata.ts'
import { failAction, type Responder, send, useResponse } from '../../controllers/responder.ts'
import { DEFAULT_ALLOW } from '../../controllers/statics.ts'
import { beginCall, WSGIController } from '../../controllers/wsgi-controller.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import { placeOf } from '../faces/select.ts'
import type { Encodable, Signature, Value } from '../xmlrpc/types.ts'
import { unknownProcedure } from './check-call.ts'
import { compressResponse } from './compression.ts'
import { DEFAULT_FACES, type FaceName, facesOf } from './face-names.ts'
import {
  type Capability,
  capabilities,
  helpResult,
  publishedNames,
  SYSTEM_METHODS,
  signatureResult,
} from './introspection.ts'
import { type Procedure, publicNameOf, SEPARATOR, type Service, serviceOf } from './procedures.ts'
import { ServiceRequest } from './service-request.ts'
import type { StatedSignatures } from './signatures.ts'

/**
 * Base class of services that have several faces. Each public method of a subclass is a procedure: `stock_find` is
 * `stock.find`. `static faces` lists the faces; all have the same procedures, signatures, hooks and limits:
 *
 * - `xmlrpc`, `jsonrpc`: calls are POSTed to the URL of the service, and distinguished by their content type.
 * - `json`: a JSON object of arguments by name is POSTed to `<url>/stock.find`.
 * - `mcp`: the Model Context Protocol at `<url>/mcp`. The tools are the methods.
 * - `openapi`, `openrpc`: documents at `<url>/openapi.json` and `<url>/openrpc.json`.
 *
 * `static security = [{ basic: [] }]` says in the OpenAPI document how clients sign in: one requirement of the list is enough, and
 * `{}` is none. `basic` and `bearer` are known, `static securitySchemes` describes other schemes. Hooks check it.
 *
 * Default: `xmlrpc`, `jsonrpc` and `json`. `map.rpc('stock', '/stock')` defines the routes.
 *
 * The parameters of a call are checked first: against the signatures of the method (`callSignature`, `signature`,
 * `static signatures`), or else against the number and names of its parameters. Then `__before__`, the method and
 * `__after__` run. Hooks can have the parameters `action` (the name of the method), `methodName` (the name that the
 * client sent) and `params`.
 *
 * The return value is the result. A `Fault`, `xmlrpc_fault(code, text)` or `JSONRPCError`, returned or thrown, is a
 * failure with a code. `abort` and `redirect` are HTTP responses. Other errors are logged; their text is sent in debug
 * mode only.
 *
 * @throws TypeError - on first use: `static faces`, signatures or public names are malformed.
 *
 * @example
 * ```ts
 * import { callSignature, RPCController } from 'propylon/rpc'
 *
 * export class StockController extends RPCController {
 *   static faces = ['xmlrpc', 'jsonrpc', 'json']
 *   static override signatures = { stock_count: callSignature('int', 'string') }
 *
 *   /** Counts the pieces of an article. *\/
 *   stock_count(article: string) {
 *     return article.length
 *   }
 * }
 * ```
 */
export class RPCController extends WSGIController {
  /** Maximum length of the body of a request, in bytes, compressed and uncompressed; 413 above. Default 4 MiB. */
  static max_body_length = 4_194_304

  /** Maximum number of calls in a batch of JSON-RPC. Default 500. */
  static batchLimit = 500

  /**
   * Maximum length of the answer to a batch of JSON-RPC, MCP or `system.multicall`, in bytes. Calls beyond it fail. Default
   * 8 MiB.
   */
  static batchBytes = 8_388_608

  /** Whether the XML-RPC face has `system.multicall` and `system.getCapabilities`. Default false. */
  static multicall = false

  /** Maximum number of calls in one `system.multicall`. Default 500. */
  static multicallLimit = 500

  /** Whether a GET returns a page about the service; 405 otherwise. Default true. */
  static browsable = true

  /** Description of the service on that page and in documents. */
  static description = ''

  /** Whether XML-RPC decodes `<nil/>` and encodes null. Default false. */
  static allowNil = false

  /**
   * Whether bigints are sent without a signature that declares `i8`: as `<i8>`, in JSON as a number, beyond the safe
   * integers as decimal text. Default true, in XMLRPCController and JSONRPCController false.
   */
  static i8 = true

  /** Whether XML-RPC decodes `<boolean>true</boolean>` as well as `1`. Default false. */
  static booleanWords = false

  /**
   * Whether XML-RPC decodes doubles as `Double`, so that 2.0 is a double when it is returned. Parameters that a signature
   * declares are numbers in any case. Default false.
   */
  static keepDoubles = false

  /** Public names of methods: `{ add_user: 'users.add_user' }`. They replace the default names. */
  static publicNames?: Readonly<Record<string, string>>

  /** Signatures of methods: `{ test_battingOrder: [['string', 'int']] }`, or `callSignature('string', 'int')`. */
  static signatures?: Readonly<Record<string, StatedSignatures>>

  static readonly [DEFAULT_FACES]: readonly FaceName[] = ['xmlrpc', 'jsonrpc', 'json']
  static readonly [SEPARATOR]: string = '.'

  static get [DEFAULT_ALLOW](): readonly string[] {
    const faces = facesOf(this)
    const isRead = this.browsable || faces.has('openapi') || faces.has('openrpc')
    return isRead ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : ['OPTIONS', 'POST']
  }

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    const { action } = beginCall(this, environ, start_response)
    return this.#answer(action, environ)
  }

  async #answer(action: string, environ: Environ): Promise<Body> {
    let responder: Responder
    try {
      const place = placeOf(action, facesOf(this.#settings))
      environ[ACTION_KEY] = place.action
      responder = await place.face(new ServiceRequest(this))
    } catch (error) {
      if (!isInstance(error, HTTPException)) return failAction(this, error)
      responder = useResponse(this, error)
    }
    if (typeof responder !== 'function') {
      const compressing = compressResponse(stateOf(this).response ?? responder, environ)
      if (compressing !== undefined) await compressing
    }
    return send(this, responder)
  }

  /**
   * Returns the method for a public name: the one that `static publicNames` declares, or else the name with underscores
   * for dots. Override this and {@link _publish_method_name} for another translation. Not called for names of more than
   * 255 characters, which no method has.
   */
  _find_method_name(name: string): string | undefined {
    const { handlers, publicNames } = this.#service
    const stated = handlers.get(name)
    if (stated !== undefined) return stated
    const translated = name.replaceAll(this.#settings[SEPARATOR], '_')
    return publicNames.has(translated) ? undefined : translated
  }

  /** Returns the public name of a method: the one in `static publicNames`, or else its name with dots for underscores. */
  _publish_method_name(name: string): string {
    return this.#service.publicNames.get(name) ?? publicNameOf(name, this.#settings[SEPARATOR])
  }

  /** `system.listMethods` of XML-RPC: returns the names of the methods of this service. */
  system_listMethods(): string[] {
    return publishedNames(this.#service, (name) => this._publish_method_name(name))
  }

  /** `system.methodSignature` of XML-RPC: returns the signatures of a method, or `'undef'` if it declares none. */
  system_methodSignature(name: string): string | Signature[] {
    return signatureResult(this.#find(name))
  }

  /** `system.methodHelp` of XML-RPC: returns the documentation of a method and its signatures. */
  system_methodHelp(name: string): string {
    return helpResult(this.#find(name))
  }

  /** `system.getCapabilities` of XML-RPC: returns the specifications that this service implements. */
  system_getCapabilities(): Record<string, Capability> {
    return capabilities(this.#settings.allowNil)
  }

  /** `system.multicall` of XML-RPC: checks and runs several calls, one after the other. */
  async system_multicall(calls: readonly Value[]): Promise<Encodable[]> {
    const { runMulticall } = await import('../faces/multicall.ts')
    return runMulticall(new ServiceRequest(this), calls)
  }

  /** @throws CallRefusal - there is no such method. */
  #find(name: string): Procedure {
    const procedure = new ServiceRequest(this).findWithSystem(name)
    if (procedure === undefined) throw unknownProcedure(name)
    return procedure
  }

  get #service(): Service {
    return serviceOf(this.#settings)
  }

  get #settings(): typeof RPCController {
    return this.constructor as typeof RPCController
  }
}

defineFrameworkClass(RPCController)

for (const [name, { signature, help }] of Object.entries(SYSTEM_METHODS)) {
  const method: unknown = Reflect.get(RPCController.prototype, name)
  if (typeof method === 'function') Object.assign(method, { signature, help })
}
