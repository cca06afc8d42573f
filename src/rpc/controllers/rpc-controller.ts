/**
 * Base classes of services.
 *
 * @module
 */

import { SERVER_ACTION } from '../../app/mcp/service.ts'
import { chunkLength, isChunk, toBytes } from '../../base/bytes.ts'
import { isInstance } from '../../base/thrown.ts'
import { failAction, send } from '../../controllers/call.ts'
import { type CallState, stateOf } from '../../controllers/call-state.ts'
import { defineFrameworkClass } from '../../controllers/class-methods.ts'
import type { NamedArguments } from '../../controllers/method-binding.ts'
import { type Responder, replaceResponse } from '../../controllers/represent.ts'
import { DEFAULT_ALLOW } from '../../controllers/statics.ts'
import { beginCall, WSGIController } from '../../controllers/wsgi-controller.ts'
import { acceptedCodings } from '../../http/compression.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import { answerService, type FaceName, methodsOf, serverActionOf } from '../faces/select.ts'
import type { Signature } from '../xmlrpc/signature.ts'
import type { Encodable, Value } from '../xmlrpc/values.ts'
import { helpResult, publishedNames, signatureResult } from './introspection.ts'
import { findProcedure, type Procedure, publicNameOf, type Service, SYSTEM_METHODS, serviceOf } from './procedures.ts'
import { unknownProcedure } from './rpc-failure.ts'
import { DEFAULT_FACES, SEPARATOR } from './service-controller.ts'
import type { ServiceRequest } from './service-request.ts'
import type { StatedSignatures } from './signatures.ts'

/** Loaded at the first call: most applications that import the framework have no service. */
let requestClass: typeof ServiceRequest | undefined

/**
 * Base class of services that have several faces. Each public method of a subclass is a procedure: `stock_find` is
 * `stock.find`. `static faces` lists the faces; all have the same procedures, signatures, hooks and limits:
 *
 * - `xmlrpc`, `jsonrpc`: calls are POSTed to the URL of the service, and distinguished by their content type.
 * - `json`: a JSON object of arguments by name is POSTed to `<url>/stock.find`.
 * - `mcp`: the Model Context Protocol at `<url>/mcp`. The tools are the methods.
 * - `openapi`: an OpenAPI document of the face `json` at `<url>/openapi.json`.
 *
 * `static security = [{ basic: [] }]` says in the OpenAPI document how clients sign in: one requirement of the list
 * is enough, and `{}` is none. A record has a list for each method, and `'*'` for the others. `basic` and `bearer` are
 * known, `static securitySchemes` describes other schemes. Hooks check it.
 *
 * Default: `xmlrpc`, `jsonrpc` and `json`. `map.rpc('stock', '/stock')` defines the routes.
 *
 * The parameters of a call are checked first: against `static args` of the method or its signatures (`static
 * signatures`, `signature`), or else against the number and names of its parameters. Then `__before__`, the method and
 * `__after__` run. Hooks can have the parameters `action` (the name of the method), `methodName` (the name that the
 * client sent) and `params`.
 *
 * The return value is the result. A method that is an async generator yields events `progress` and `log`, which
 * clients of `mcp` see if they request them, and returns its result: `yield { event: 'progress', data: { progress: 1,
 * total: 10 } }`. A `Fault`, `xmlrpc_fault(code, text)` or `JSONRPCError`, returned or thrown, is a failure with a
 * code. `abort` and `redirect` are HTTP responses. Other errors are logged; their text is sent in debug mode only.
 *
 * @throws TypeError - on first use: `static faces`, signatures or public names are malformed.
 *
 * @example
 * ```ts
 * import { int, string } from 'propylon/converters'
 * import { RPCController } from 'propylon/rpc'
 *
 * export class StockController extends RPCController {
 *   static faces = ['xmlrpc', 'jsonrpc', 'json']
 *   static args = { stock_count: { article: string } }
 *   static results = { stock_count: int }
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

  /** Maximum number of calls in a batch of JSON-RPC, and in one `system.multicall`. Default 500. */
  static batchLimit = 500

  /**
   * Maximum length of the answer to a batch of JSON-RPC, MCP or `system.multicall`, in bytes. Calls beyond it fail.
   * Default 8 MiB.
   */
  static batchBytes = 8_388_608

  /** Whether a GET returns a page about the service; 405 otherwise. Default true. */
  static browsable = true

  /** Description of the service on that page and in documents. */
  static description = ''

  /**
   * Whether bigints are sent without a signature that declares `i8`: as `<i8>`, in JSON as a number, beyond the safe
   * integers as decimal text. Default true, in XMLRPCController and JSONRPCController false.
   */
  static i8 = true

  /** Public names of methods: `{ add_user: 'users.add_user' }`. They replace the default names. */
  static publicNames?: Readonly<Record<string, string>>

  /** Signatures of methods: `{ test_battingOrder: [['string', 'int']] }`. Several for one method are alternatives. */
  static signatures?: Readonly<Record<string, StatedSignatures>>

  /** Whether the XML-RPC face has `system.multicall`. Default false. */
  static multicall = false

  /** Whether XML-RPC decodes `<nil/>` and encodes null. Default false. */
  static allowNil = false

  /** Whether XML-RPC decodes `<boolean>true</boolean>` as well as `1`. Default false. */
  static booleanWords = false

  /**
   * Whether XML-RPC decodes doubles as `Double`, so that 2.0 is a double when it is returned. Parameters that a
   * signature declares are numbers in any case. Default false.
   */
  static keepDoubles = false

  static readonly [DEFAULT_FACES]: readonly FaceName[] = ['xmlrpc', 'jsonrpc', 'json']
  static readonly [SEPARATOR]: string = '.'

  static get [SERVER_ACTION](): string | undefined {
    return serverActionOf(this)
  }

  static get [DEFAULT_ALLOW](): readonly string[] {
    return methodsOf(this)
  }

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    return this.#answer(beginCall(this, environ, start_response))
  }

  async #answer(state: CallState): Promise<Body> {
    let responder: Responder
    try {
      requestClass ??= (await import('./service-request.ts')).ServiceRequest
      responder = await answerService(new requestClass(this), state.action)
    } catch (error) {
      if (!isInstance(error, HTTPException)) return failAction(state, error)
      responder = replaceResponse(state, error)
    }
    if (typeof responder !== 'function') {
      const compressing = compressResponse(state.response ?? responder, state.environ)
      if (compressing !== undefined) await compressing
    }
    return send(state, responder)
  }

  /** Adds the name and the parameters of the call, for hooks. */
  override _get_method_args(): NamedArguments | Promise<NamedArguments> {
    return Object.assign(super._get_method_args(), stateOf(this).callArguments)
  }

  /**
   * Returns the method for a public name: the method in `static publicNames`, or else the name with underscores
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

  /**
   * Returns the public name of a method: its entry in `static publicNames`, or else its name with dots for
   * underscores.
   */
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

  /** `system.multicall` of XML-RPC: checks and runs several calls, one after the other. */
  async system_multicall(calls: readonly Value[]): Promise<Encodable[]> {
    const { runMulticall } = await import('../faces/xmlrpc.ts')
    const { ServiceRequest } = await import('./service-request.ts')
    return runMulticall(new ServiceRequest(this), calls)
  }

  /** @throws CallRefusal - there is no such method. */
  #find(name: string): Procedure {
    const procedure = findProcedure(this, this.#service, name)
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

/**
 * Base class of XML-RPC services: an RPCController whose only face is `xmlrpc`. Each public method of a subclass is a
 * procedure: `test_battingOrder` is `test.battingOrder`.
 *
 * A `Fault` or `xmlrpc_fault(code, text)`, returned or thrown, is a fault. `abort` and `redirect` are HTTP responses.
 * Other errors are logged and become the fault -32603, which has their text in debug mode only. Every service has
 * `system.listMethods`, `system.methodSignature` and `system.methodHelp`.
 *
 * HTTP (XML-RPC specification, "Header requirements"): a call is a POST of `text/xml`, or without a content type. The
 * status is 411 without a body, 413 over `max_body_length` and 415 for another content type or an unknown content
 * encoding. A GET returns a page about the service.
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
 *
 * @see docs/guides/rpc.md
 */
export class XMLRPCController extends RPCController {
  static override i8 = false
  static override readonly [DEFAULT_FACES]: readonly FaceName[] = ['xmlrpc']
}

defineFrameworkClass(XMLRPCController)

/**
 * Base class of JSON-RPC 2.0 services, which have the face `jsonrpc`. Each public method of a subclass is
 * a procedure of the same name.
 *
 * Parameters are passed by position, or by the names of the method's parameters. A method throws or returns a
 * `JSONRPCError` to fail. `abort` and `redirect` are answered by HTTP, or by the error -32000 within a batch. Other
 * errors are logged and become the error -32603, which has details in debug mode, for trusted hosts. Notifications
 * are not answered. The calls of a batch run one after the other.
 *
 * Calls are sent by POST. Answers by HTTP: 411 without a body, 413 for a body over `max_body_length`, 415 for another
 * content type than JSON or an unknown content encoding, 204 if no call expects an answer.
 *
 * @see docs/guides/rpc.md
 * @example
 * ```ts
 * import { JSONRPCController } from 'propylon'
 *
 * export class MathController extends JSONRPCController {
 *   subtract(minuend: number, subtrahend: number) {
 *     return minuend - subtrahend
 *   }
 * }
 * ```
 */
export class JSONRPCController extends RPCController {
  static override browsable = false
  static override i8 = false
  static override readonly [DEFAULT_FACES]: readonly FaceName[] = ['jsonrpc']
  static override readonly [SEPARATOR]: string = '_'
}

defineFrameworkClass(JSONRPCController)

/** Minimum length of a compressed body, in bytes. Shorter ones fit into one packet as they are. */
const MIN_LENGTH = 1400

/**
 * Compresses the body of a 200 response with gzip, if the client accepts that and the body is text or bytes that get
 * shorter. The whole body is compressed at once, because some XML-RPC clients require a Content-Length.
 *
 * @returns a promise only if the body is compressed.
 */
function compressResponse(response: Response, environ: Environ): Promise<void> | undefined {
  const { body } = response
  const accepted = environ.HTTP_ACCEPT_ENCODING
  if (
    typeof accepted !== 'string' ||
    typeof CompressionStream === 'undefined' ||
    response.status !== 200 ||
    !isChunk(body) ||
    chunkLength(body) < MIN_LENGTH ||
    response.headers.has('content-encoding') ||
    !acceptedCodings(accepted).includes('gzip')
  ) {
    return undefined
  }
  return compress(response, toBytes(body))
}

async function compress(response: Response, bytes: Uint8Array): Promise<void> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'))
  const compressed = new Uint8Array(await new globalThis.Response(stream).arrayBuffer())
  if (compressed.length >= bytes.length) return
  response.body = compressed
  response.headers.set('Content-Encoding', 'gzip')
  response.headers.addToken('Vary', 'Accept-Encoding')
}
