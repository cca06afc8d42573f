/** The base class of all services. */

import { SERVER_ACTION } from '../../app/mcp/service.ts'
import { chunkLength, isChunk, toBytes } from '../../base/bytes.ts'
import { isInstance } from '../../base/thrown.ts'
import { failAction, send } from '../../controllers/call.ts'
import { type CallState, stateOf } from '../../controllers/call-state.ts'
import { defineFrameworkClass } from '../../controllers/class-methods.ts'
import type { NamedArguments } from '../../controllers/method-binding.ts'
import type { Responder } from '../../controllers/represent.ts'
import { replaceResponse } from '../../controllers/represent.ts'
import { DEFAULT_ALLOW } from '../../controllers/statics.ts'
import { beginCall, WSGIController } from '../../controllers/wsgi-controller.ts'
import { acceptedCodings } from '../../http/compression.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import { answerService, type FaceName, methodsOf, serverActionOf } from '../faces/select.ts'
import { publicNameOf, type Service, serviceOf } from './procedures.ts'
import { DEFAULT_FACES, SEPARATOR } from './service-controller.ts'
import type { ServiceRequest } from './service-request.ts'
import type { StatedSignatures } from './signatures.ts'

/** Loaded at the first call: most applications that import the framework have no service. */
let requestClass: typeof ServiceRequest | undefined

/** Controller whose public methods are procedures, which clients call by the protocols of its faces. */
export class ProcedureController extends WSGIController {
  /** Maximum length of the body of a request, in bytes, compressed and uncompressed; 413 above. Default 4 MiB. */
  static max_body_length = 4_194_304

  /** Maximum number of calls in a batch of JSON-RPC. Default 500. */
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

  static readonly [DEFAULT_FACES]: readonly FaceName[] = []
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

  get #service(): Service {
    return serviceOf(this.#settings)
  }

  get #settings(): typeof ProcedureController {
    return this.constructor as typeof ProcedureController
  }
}

defineFrameworkClass(ProcedureController)

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
  const compressed = await gzip(bytes)
  if (compressed.length >= bytes.length) return
  response.body = compressed
  response.headers.set('Content-Encoding', 'gzip')
  response.headers.addToken('Vary', 'Accept-Encoding')
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new globalThis.Response(stream).arrayBuffer())
}
