/** The interface of faces, and what several of them use. */

import type { CallState } from '../../controllers/call-state.ts'
import { type Responder, respondToError } from '../../controllers/represent.ts'
import { HTTPNotFound, makeException } from '../../http/exceptions.ts'
import type { MediaType } from '../../http/media-type.ts'
import type { Procedure, Service } from '../controllers/procedures.ts'
import { failureThrown, statusFor } from '../controllers/rpc-failure.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'

/** A protocol by which clients call a service, or a document about it. */
export interface Face {
  /** Name for people. */
  readonly title: string
  /** Path below the URL of the service, which is empty for calls at the URL itself, or {@link PROCEDURE_PATH}. */
  readonly path: string
  /** The content types of its calls, for calls at the URL of the service. */
  readonly calls?: {
    /** The usual one, for messages. */
    readonly type: string
    includes(type: MediaType): boolean
    /** Returns true for the body of a call without a content type, if several faces take calls. */
    beginsWith(body: Uint8Array): boolean
  }
  /**
   * Answers one request. Reads the calls in the request, runs them with {@link ServiceRequest.call} and writes their
   * ends.
   *
   * @param faces - the faces of the service.
   * @throws HTTPException - the response, such as a 405.
   */
  answer(request: ServiceRequest, faces: readonly Face[]): Responder | Promise<Responder>
  /** Returns the procedures that only this face has. */
  systemProcedures?(service: Service): Iterable<Procedure>
}

const LESS_THAN = 0x3c
const SKIPPED: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff])

/** Path of a face at which each procedure has a URL of its own. */
export const PROCEDURE_PATH = '/<method>'

/** Refuses a call in JSON that belongs to no protocol of the service. */
export function refusePlainJSON(request: ServiceRequest, faces: readonly Face[]): Responder {
  const protocols = faces.filter(({ path }) => path === '').map(({ title }) => title)
  const detail = `This service does not answer plain JSON. It answers ${protocols.join(' and ')}.`
  return request.refuse(new HTTPNotFound(detail))
}

/** Returns true for a body whose first character is `<`. Skips blanks, a byte order mark and the zeros of UTF-16. */
export function isMarkup(body: Uint8Array): boolean {
  return body.find((byte) => !SKIPPED.has(byte)) === LESS_THAN
}

/**
 * Answers a GET in which a hook refused the request by an HTTP exception, or by a failure with a code. Throws any
 * other error.
 */
export function respondToFailure(state: CallState, error: unknown): Responder {
  const failure = failureThrown(error)
  const isCoded = failure?.kind === 'application'
  return respondToError(state, isCoded ? makeException(statusFor(failure.code), failure.message) : error)
}
