import { HTTPException, HTTPMethodNotAllowed, HTTPNotFound } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { errorText, isDisconnect } from '../../wsgi/errors.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import type { Call } from '../../xmlrpc/decode.ts'
import { decodeCall } from '../../xmlrpc/decode.ts'
import { type EncodeOptions, encodeResponse, faultStruct } from '../../xmlrpc/encode.ts'
import { XMLRPCDecodeError } from '../../xmlrpc/errors.ts'
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'
import { asType } from '../../xmlrpc/signature.ts'
import type { Encodable, Signature, TypeName, Value } from '../../xmlrpc/types.ts'
import { defineFrameworkClass, isPrivate } from '../actions.ts'
import { planOf } from '../plan.ts'
import type { Answer } from '../result.ts'
import { readCall } from '../rpc/call-body.ts'
import { sendCompressed } from '../rpc/compression.ts'
import { refuseCrossSite } from '../rpc/cross-site.ts'
import { WSGIController } from '../wsgi-controller.ts'
import { type CheckedCall, checkCall } from './call.ts'
import { FaultResponse, faultIn, XMLRPC_TYPE } from './fault.ts'
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

/** What failed, when nothing more may be told. */
const UNTOLD = 'The server met an error and could not answer the call.'

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
 * `max_body_length`, 415 for unknown content encodings, 403 for pages of other sites. A
 * GET shows the service as a page.
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

  #call: CheckedCall | undefined

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    this._serve(environ)
    const { action } = this.request.routeParams
    if (typeof action === 'string' && isPrivate(action))
      return new HTTPNotFound().send(environ, start_response)
    if (environ.REQUEST_METHOD === 'POST') {
      return sendCompressed(environ, start_response, (start) => this.#respond(environ, start))
    }
    if (this.#settings.browsable && (environ.REQUEST_METHOD === 'GET' || environ.REQUEST_METHOD === 'HEAD')) {
      return super.__call__(environ, start_response)
    }
    const headers = { Allow: this.#settings.allow.join(', ') }
    return new HTTPMethodNotAllowed(undefined, headers).send(environ, start_response)
  }

  /** The arguments on offer to hooks: those of the route, and of the call `action`, `methodName` and `params`. */
  override _get_method_args(): Record<string, unknown> {
    const args = super._get_method_args()
    if (this.#call === undefined) return args
    const { method, methodName, params } = this.#call
    return Object.assign(args, { action: method.name, methodName, params })
  }

  /**
   * The handler that a public name stands for: what `static publicNames` states, else the name with underscores for
   * its dots. Override it, and {@link _publish_method_name} with it, to translate otherwise.
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
    const outer = this.#call
    const answers: Encodable[] = []
    for (const entry of calls) {
      try {
        const { methodName, params, types } = readBatched(entry, keepDoubles)
        const call = this.#check(methodName, params, types)
        if (call.method.name === 'system_multicall') {
          throw new Fault(FaultCode.invalidParams, 'system.multicall cannot call itself')
        }
        this.#call = call
        answers.push(await this.#performBatched(call))
      } catch (error) {
        answers.push(faultStruct(this.#faultOf(error)))
      }
    }
    this.#call = outer
    return answers
  }

  protected override _dispatch_call(): unknown {
    const call = this.#call
    if (call === undefined) return this.#page()
    let result: unknown
    try {
      result = call.method.method.apply(this, [...call.params])
    } catch (error) {
      return returnFault(error)
    }
    return result instanceof Promise ? result.catch(returnFault) : result
  }

  override _answer(result: unknown): Answer {
    const call = this.#call
    if (call === undefined) return super._answer(result)
    const response = this._standingResponse() ?? new Response()
    const fault = faultIn(result)
    if (fault !== undefined) {
      response.status = 200
      response.body = encodeResponse(fault)
    } else if (isHTTP(result)) {
      return super._answer(result)
    } else {
      response.body = encodeResponse(result as Encodable, { ...this.#encoding, type: call.returns })
    }
    response.contentType = XMLRPC_TYPE
    return response
  }

  async #respond(environ: Environ, start_response: StartResponse): Promise<Body> {
    try {
      refuseCrossSite(environ)
      const body = await readCall(this.request, this.#settings.max_body_length)
      const { methodName, params, types } = this.#decode(body)
      this.#call = this.#check(methodName, params, types)
      return await super.__call__(environ, start_response)
    } catch (error) {
      if (isDisconnect(error)) throw error
      return this.#send(
        error instanceof HTTPException ? error.toResponse(environ) : this.#faultOf(error),
        start_response,
      )
    }
  }

  /** Sends what ended the call, with the cookies and headers that hooks have set. */
  #send(end: Response | Fault, start_response: StartResponse): Body {
    const own = end instanceof Fault ? new FaultResponse(end) : end
    const response = this._standingResponse()?.mergeInto(own) ?? own
    const session = this._openedSession()
    if (session !== undefined) this.app.saveSession(session, response)
    return response.send(this._served(), start_response)
  }

  #decode(body: Uint8Array): Call {
    const { allowNil, booleanWords, keepDoubles, multicall } = this.#settings
    const charset = this.request.mediaType?.parameters.charset
    const options = { allowNil, booleanWords, charset, maxLength: body.length }
    const call = decodeCall(body, { ...options, doubles: keepDoubles ? 'wrapped' : 'plain' })
    if (!multicall || keepDoubles || this._find_method_name(call.methodName) !== 'system_multicall')
      return call
    // The types of the parameters within are told by the values, so their doubles must be.
    return decodeCall(body, { ...options, doubles: 'wrapped' })
  }

  #check(methodName: string, params: readonly Value[], types: readonly TypeName[]): CheckedCall {
    return checkCall(methodName, this.#find(methodName), params, types)
  }

  #find(name: string): ServiceMethod {
    const handler = this._find_method_name(name)
    const method = handler === undefined ? undefined : this.#service.methods.get(handler)
    if (method === undefined) throw noSuchMethod(name)
    return method
  }

  /** Runs a call of a batch with its hooks. */
  async #performBatched(call: CheckedCall): Promise<Encodable> {
    const { before, after } = planOf(this.#settings)
    if (before !== undefined) await this._inspect_call(before)
    let result: unknown
    try {
      result = await this._dispatch_call()
    } catch (error) {
      if (after !== undefined)
        await this._inspect_call(after, error instanceof HTTPException ? undefined : error)
      throw error
    }
    if (after !== undefined) await this._inspect_call(after)
    const fault = faultIn(result)
    if (fault !== undefined) return faultStruct(fault)
    if (isHTTP(result))
      throw httpFault(result instanceof HTTPException ? result.message : 'An answer by HTTP')
    const value =
      call.returns === undefined ? (result as Encodable) : asType(result as Encodable, call.returns)
    // What cannot be sent must be this call's fault alone, so it is tried before it goes among the others.
    encodeResponse([[value]], this.#encoding)
    return [value]
  }

  /** The fault that an error becomes: its own, or one that tells no more than it may. */
  #faultOf(error: unknown): Fault {
    const fault = faultIn(error)
    if (fault !== undefined) return fault
    if (error instanceof XMLRPCDecodeError && this.#call === undefined) return error.toFault()
    if (error instanceof HTTPException) return httpFault(error.message)
    const { app } = this
    const name = this.#call === undefined ? '' : ` (${JSON.stringify(this.#call.methodName)})`
    app.logger.error(`POST ${JSON.stringify(this.request.path)}${name}\n${errorText(error)}`)
    return new Fault(FaultCode.internalError, app.debug ? messageOf(error) : UNTOLD, { cause: error })
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

/** A fault that was thrown counts as returned; every other error goes on. */
function returnFault(error: unknown): Fault {
  const fault = faultIn(error)
  if (fault === undefined) throw error
  return fault
}

/** Whether a result is an HTTP answer rather than a value. */
function isHTTP(result: unknown): result is Response | HTTPException | globalThis.Response {
  return (
    result instanceof Response || result instanceof HTTPException || result instanceof globalThis.Response
  )
}

/** An HTTP answer where there is no place for one: within a batch. */
function httpFault(message: string): Fault {
  return new Fault(FaultCode.applicationError, message)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
