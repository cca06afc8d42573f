import { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import { errorSummary, isDisconnect, isInstance } from '../../wsgi/thrown.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import type { Call } from '../../xmlrpc/decode.ts'
import { decodeCall } from '../../xmlrpc/decode.ts'
import { type EncodeOptions, faultStruct } from '../../xmlrpc/encode.ts'
import { XMLRPCDecodeError } from '../../xmlrpc/errors.ts'
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'
import type { Encodable, Signature, TypeName, Value } from '../../xmlrpc/types.ts'
import { type Protocol, runCall, stateOf } from '../lifecycle.ts'
import { defineFrameworkClass } from '../metadata.ts'
import { type Responder, respond, respondToError, useResponse } from '../responder.ts'
import { readCall } from '../rpc/call-body.ts'
import { MAX_METHOD_NAME } from '../rpc/method-name.ts'
import { serveService } from '../rpc/serve-service.ts'
import { allowedMethods, DEFAULT_ALLOW } from '../statics.ts'
import { beginCall, serveCall, WSGIController } from '../wsgi-controller.ts'
import { type CheckedCall, checkCall } from './call.ts'
import { argumentsOf, BatchedCallProtocol, CallProtocol } from './call-protocol.ts'
import { FaultResponse, faultIn, httpFault } from './fault.ts'
import {
  type Capability,
  capabilities,
  helpResult,
  noSuchMethod,
  publishedNames,
  SYSTEM_METHODS,
  signatureResult,
} from './introspection.ts'
import { publicNameOf, type Service, type ServiceMethod, serviceOf } from './methods.ts'
import { readBatched } from './multicall.ts'
import { servicePage } from './service-page.ts'

/** Fault text for unexpected errors whose details are not sent. */
const INTERNAL_ERROR = 'The server met an error and could not answer the call.'

/**
 * Base class of XML-RPC services. Each public method of a subclass is a procedure: `test_battingOrder` is
 * `test.battingOrder`.
 *
 * The parameters of a call are checked first, against the signatures of the method (the decorator `signature`,
 * `static signatures`, or the attribute `signature`), or else against the number of its parameters. Then `__before__`,
 * the method and `__after__` run. Hooks can have the parameters `action` (the name of the method), `methodName` (the name
 * that the client sent) and `params`.
 *
 * The return value is the result. A `Fault` or `xmlrpc_fault(code, text)`, returned or thrown, is a fault. `abort` and
 * `redirect` are HTTP responses. Other errors are logged and become the fault -32603, which has their text in debug mode
 * only. Every service has `system.listMethods`, `system.methodSignature` and `system.methodHelp`.
 *
 * HTTP (XML-RPC specification, "Header requirements"): a call is a POST. The status is 411 without a body, 413 over
 * `max_body_length` and 415 for an unknown content encoding. A GET returns a page about the service.
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
export class XMLRPCController extends WSGIController {
  /** Maximum length of a call, in bytes, compressed and uncompressed; 413 above. Default 4 MiB. */
  static max_body_length = 4_194_304

  /** Whether the service has `system.multicall` and `system.getCapabilities`. Default false. */
  static multicall = false

  /** Maximum number of calls in one `system.multicall`. Default 500. */
  static multicallLimit = 500

  /** Whether a GET returns a page about the service; 405 otherwise. Default true. */
  static browsable = true

  /** Description of the service on that page. */
  static description = ''

  /** Whether `<nil/>` is decoded and null is encoded. Default false. */
  static allowNil = false

  /** Whether bigints are encoded as `<i8>`. `<i8>` is always decoded. Default false. */
  static i8 = false

  /** Whether `<boolean>true</boolean>` is decoded as well as `1`. Default false. */
  static booleanWords = false

  /**
   * Whether doubles are decoded as `Double`, so that 2.0 is a double when it is returned. Parameters that a signature
   * declares `double` are numbers in any case. Default false.
   */
  static keepDoubles = false

  /** Public names of methods: `{ add_user: 'users.add_user' }`. They replace the default names. */
  static publicNames?: Readonly<Record<string, string>>

  /** Signatures of methods: `{ test_battingOrder: [['string', 'int']] }`. */
  static signatures?: Readonly<Record<string, readonly (readonly string[])[]>>

  static get [DEFAULT_ALLOW](): readonly string[] {
    return this.browsable ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : ['OPTIONS', 'POST']
  }

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    beginCall(this, environ, start_response)
    const { browsable } = this.#settings
    return serveService(this, {
      allow: allowedMethods(this.#settings),
      answerCall: () => this.#answerCall(),
      servePage: browsable ? () => serveCall(this, this.#pageProtocol) : undefined,
    })
  }

  /**
   * Returns the method for a public name: the one that `static publicNames` declares, or else the name with underscores
   * for dots. Override this and {@link _publish_method_name} for another translation. Not called for names of more than
   * 255 characters, which are those of unknown methods (-32601).
   */
  _find_method_name(name: string): string | undefined {
    const { handlers, publicNames } = this.#service
    const stated = handlers.get(name)
    if (stated !== undefined) return stated
    const translated = name.replaceAll('.', '_')
    return publicNames.has(translated) ? undefined : translated
  }

  /** Returns the public name of a method: the one in `static publicNames`, or else its name with dots for underscores. */
  _publish_method_name(name: string): string {
    return this.#service.publicNames.get(name) ?? publicNameOf(name)
  }

  /** `system.listMethods`: returns the names of the methods of this service. */
  system_listMethods(): string[] {
    return publishedNames(this.#service, (name) => this._publish_method_name(name))
  }

  /** `system.methodSignature`: returns the signatures of a method, or `'undef'` if it declares none. */
  system_methodSignature(name: string): string | Signature[] {
    return signatureResult(this.#find(name))
  }

  /** `system.methodHelp`: returns the documentation of a method and its signatures. */
  system_methodHelp(name: string): string {
    return helpResult(this.#find(name))
  }

  /** `system.getCapabilities`: returns the specifications that this service implements. */
  system_getCapabilities(): Record<string, Capability> {
    return capabilities(this.#settings.allowNil)
  }

  /** `system.multicall`: checks and runs several calls, one after the other. */
  async system_multicall(calls: readonly Value[]): Promise<Encodable[]> {
    const { multicallLimit, keepDoubles } = this.#settings
    if (calls.length > multicallLimit) {
      throw new Fault(
        FaultCode.invalidParams,
        `system.multicall takes ${multicallLimit} calls at most, not ${calls.length}`,
      )
    }
    const state = stateOf(this)
    const outer = state.callArguments
    const answers: Encodable[] = []
    for (const entry of calls) {
      let name: string | undefined
      try {
        const { methodName, params, types } = readBatched(entry, keepDoubles)
        name = methodName
        const call = this.#check(methodName, params, types)
        if (call.method.name === 'system_multicall') {
          throw new Fault(FaultCode.invalidParams, 'system.multicall cannot call itself')
        }
        state.callArguments = argumentsOf(call)
        answers.push(await runCall(this, new BatchedCallProtocol(call, this.#encoding)))
      } catch (error) {
        answers.push(faultStruct(this.#faultOf(error, name)))
      }
    }
    state.callArguments = outer
    return answers
  }

  async #answerCall(): Promise<Responder> {
    let name: string | undefined
    try {
      const body = await readCall(this.request, this.#settings.max_body_length)
      const { methodName, params, types } = this.#decode(body)
      name = methodName
      const call = this.#check(methodName, params, types)
      stateOf(this).callArguments = argumentsOf(call)
      return await runCall(this, new CallProtocol(call, this.#encoding))
    } catch (error) {
      if (isDisconnect(error)) throw error
      return useResponse(
        this,
        isInstance(error, HTTPException) ? error : new FaultResponse(this.#faultOf(error, name)),
      )
    }
  }

  #decode(body: Uint8Array): Call {
    const { allowNil, booleanWords, keepDoubles, multicall } = this.#settings
    const charset = this.request.mediaType?.parameters.charset
    const options = { allowNil, booleanWords, charset, maxLength: body.length }
    const call = decodeCall(body, { ...options, doubles: keepDoubles ? 'wrapped' : 'plain' })
    if (!multicall || keepDoubles || this.#handlerOf(call.methodName) !== 'system_multicall') return call
    // The types of the nested parameters are derived from their values, which requires wrapped doubles.
    return decodeCall(body, { ...options, doubles: 'wrapped' })
  }

  #check(methodName: string, params: readonly Value[], types: readonly TypeName[]): CheckedCall {
    return checkCall(methodName, this.#find(methodName), params, types)
  }

  #find(name: string): ServiceMethod {
    const handler = this.#handlerOf(name)
    const method = handler === undefined ? undefined : this.#service.methods.get(handler)
    if (method === undefined) throw noSuchMethod(name)
    return method
  }

  #handlerOf(name: string): string | undefined {
    return name.length > MAX_METHOD_NAME ? undefined : this._find_method_name(name)
  }

  /** Returns the fault for an error. Logs unexpected errors; their text is sent in debug mode only. */
  #faultOf(error: unknown, name: string | undefined): Fault {
    const fault = faultIn(error)
    if (fault !== undefined) return fault
    if (isInstance(error, XMLRPCDecodeError) && name === undefined) return error.toFault()
    if (isInstance(error, HTTPException)) return httpFault(error.message)
    const { app } = this
    app.reportError(error, this.request.environ, name)
    return new Fault(
      FaultCode.internalError,
      app.showsErrors(this.request.environ) ? errorSummary(error) : INTERNAL_ERROR,
      {
        cause: error,
      },
    )
  }

  get #pageProtocol(): Protocol<Responder> {
    return { run: () => this.#page(), answer: respond, answerError: respondToError }
  }

  #page(): Response {
    const methods = [...this.#service.methods.values()].map((method) => ({
      publicName: this._publish_method_name(method.name),
      method,
    }))
    return servicePage(this.#settings.name, this.#settings.description, this.request.url, methods)
  }

  get #encoding(): EncodeOptions {
    const { allowNil, i8 } = this.#settings
    return { allowNil, i8 }
  }

  get #service(): Service {
    return serviceOf(this.#settings)
  }

  get #settings(): typeof XMLRPCController {
    return this.constructor as typeof XMLRPCController
  }
}

defineFrameworkClass(XMLRPCController)

for (const [name, { signature, help }] of Object.entries(SYSTEM_METHODS)) {
  const method: unknown = Reflect.get(XMLRPCController.prototype, name)
  if (typeof method === 'function') Object.assign(method, { signature, help })
}
