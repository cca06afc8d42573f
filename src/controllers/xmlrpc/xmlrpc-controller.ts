import { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import { errorSummary, errorText, isDisconnect, isInstance } from '../../wsgi/thrown.ts'
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
import { beginCall, serveCall, WSGIController } from '../wsgi-controller.ts'
import { type CheckedCall, checkCall } from './call.ts'
import { argumentsOf, BatchedCallProtocol, CallProtocol } from './call-protocol.ts'
import { FaultResponse, faultIn, httpFault } from './fault.ts'
import {
  type Capability,
  capabilities,
  helpAnswer,
  noSuchMethod,
  publishedNames,
  SYSTEM_METHODS,
  signatureAnswer,
} from './introspection.ts'
import { publicNameOf, type Service, type ServiceMethod, serviceOf } from './methods.ts'
import { readBatched } from './multicall.ts'
import { servicePage } from './service-page.ts'

/** Fault text for unexpected errors whose details are not sent. */
const INTERNAL_ERROR = 'The server met an error and could not answer the call.'

/**
 * The base class of XML-RPC services: each public method of the application's class is a procedure.
 *
 * `test.battingOrder` is the method `test_battingOrder`; parameters arrive in order. A declared signature (the
 * decorator `signature`, `static signatures`, or the attribute `signature`) is checked before anything runs; without
 * one the number of parameters is. Then run `__before__` (which may ask for `action`, the handler's name, `methodName`
 * and `params`), the method and `__after__`.
 *
 * What a method returns is the result. A `Fault` or `xmlrpc_fault(code, text)`, returned or thrown, is a fault; `abort`
 * and `redirect` stay HTTP; any other error is logged and becomes the fault -32603, which tells nothing outside of
 * debug mode. Every class has `system.listMethods`, `system.methodSignature` and `system.methodHelp`.
 *
 * Over HTTP (XML-RPC specification, "Header requirements"): calls are POSTed; 411 without a body, 413 over
 * `max_body_length`, 415 for unknown content encodings. A GET shows the service as a page.
 *
 * @example
 * ```ts
 * import { XMLRPCController } from 'propylon'
 * import { decorate, signature } from 'propylon/decorators'
 *
 * export class DemoController extends XMLRPCController {
 *   /** Greets somebody. *\/
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
  /** The length of a call in bytes, compressed or not, over which it is refused with 413. Default 4 MiB. */
  static max_body_length = 4_194_304

  /** Turns `system.multicall` and `system.getCapabilities` on. */
  static multicall = false

  /** How many calls one `system.multicall` may hold. */
  static multicallLimit = 500

  /** Whether a GET shows the service as a page. */
  static browsable = true

  /** What the page says of the service. */
  static description = ''

  /** Whether `<nil/>` is read and written, as null. */
  static allowNil = false

  /** Whether bigints are written as `<i8>`; they are always read. */
  static i8 = false

  /** Whether `<boolean>true</boolean>` is read as well as `1`. */
  static booleanWords = false

  /**
   * Whether doubles arrive as `Double`, so that what is sent back has the type it came with, even `2.0`. Parameters
   * that a signature declares as double arrive as numbers all the same.
   */
  static keepDoubles = false

  /** States public names of methods: `{ add_user: 'users.add_user' }`. They are then known by these names alone. */
  static publicNames?: Readonly<Record<string, string>>

  /** States the signatures of methods: `{ test_battingOrder: [['string', 'int']] }`. */
  static signatures?: Readonly<Record<string, readonly (readonly string[])[]>>

  static override get allow(): readonly string[] {
    return this.browsable ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : ['OPTIONS', 'POST']
  }

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    beginCall(this, environ, start_response)
    const { allow, browsable } = this.#settings
    return serveService(this, {
      allow,
      answerCall: () => this.#answerCall(),
      servePage: browsable ? () => serveCall(this, this.#pageProtocol) : undefined,
    })
  }

  /**
   * The handler that a public name stands for: what `static publicNames` states, else the name with underscores for
   * its dots. Override it, and {@link _publish_method_name} with it, to translate otherwise.
   * A name of more than 255 characters is that of an unknown method (-32601) and never gets here.
   */
  _find_method_name(name: string): string | undefined {
    const { handlers, publicNames } = this.#service
    const stated = handlers.get(name)
    if (stated !== undefined) return stated
    const translated = name.replaceAll('.', '_')
    return publicNames.has(translated) ? undefined : translated
  }

  /** The public name of a handler: what `static publicNames` states, else the name with dots for its underscores. */
  _publish_method_name(name: string): string {
    return this.#service.publicNames.get(name) ?? publicNameOf(name)
  }

  /** `system.listMethods`: the names of the methods of this service. */
  system_listMethods(): string[] {
    return publishedNames(this.#service, (name) => this._publish_method_name(name))
  }

  /** `system.methodSignature`: the signatures of a method, `'undef'` when it declares none. */
  system_methodSignature(name: string): string | Signature[] {
    return signatureAnswer(this.#find(name))
  }

  /** `system.methodHelp`: what a method says of itself, and its signatures. */
  system_methodHelp(name: string): string {
    return helpAnswer(this.#find(name))
  }

  /** `system.getCapabilities`: the specifications that this service follows. */
  system_getCapabilities(): Record<string, Capability> {
    return capabilities(this.#settings.allowNil)
  }

  /** `system.multicall`: several calls, each checked and run as one of its own. */
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
    // The types of the parameters within are told by the values, so their doubles must be.
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

  /** Makes the fault for an error. Unexpected errors are logged; their text is sent in debug mode only. */
  #faultOf(error: unknown, name: string | undefined): Fault {
    const fault = faultIn(error)
    if (fault !== undefined) return fault
    if (isInstance(error, XMLRPCDecodeError) && name === undefined) return error.toFault()
    if (isInstance(error, HTTPException)) return httpFault(error.message)
    const { app } = this
    const called = name === undefined ? '' : ` (${JSON.stringify(name)})`
    app.logger.error(`POST ${JSON.stringify(this.request.path)}${called}\n${errorText(error)}`)
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
