/** The interface of faces, and what several of them use. */

import type { CallState } from '../../controllers/call-state.ts'
import type { Responder } from '../../controllers/represent.ts'
import { respondToError } from '../../controllers/represent.ts'
import { HTTPNotFound, makeException } from '../../http/exceptions.ts'
import { isJson, type MediaType } from '../../http/media-type.ts'
import type { Procedure, Service } from '../controllers/procedures.ts'
import { failureThrown, statusFor } from '../controllers/rpc-failure.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'

/** A protocol by which clients call a service, or a document about it. */
export interface Face {
  /** Name for people. */
  readonly title: string
  /** Path below the URL of the service, which is empty for calls at the URL itself, or {@link PROCEDURE_PATH}. */
  readonly path: string
  /**
   * Returns true for a call of the protocol, by its content type and its first bytes. Called if several faces take calls at
   * the URL of the service.
   */
  recognizes?(type: MediaType | undefined, body: Uint8Array): boolean
  /**
   * Answers one request. Reads the calls in the request, runs them with {@link ServiceRequest.call} and writes their ends.
   *
   * @param faces - the faces of the service.
   * @throws HTTPException - the response, such as a 405.
   */
  answer(request: ServiceRequest, faces: readonly Face[]): Responder | Promise<Responder>
  /** Returns the procedures that only this face has. */
  systemProcedures?(service: Service): Iterable<Procedure>
}

const LESS_THAN = 0x3c
const BRACE = 0x7b
const SKIPPED: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff])

/** Path of a face at which each procedure has a URL of its own. */
export const PROCEDURE_PATH = '/<method>'

/** Returns true for a content type of XML, or for a body that begins with `<` if the type is neither XML nor JSON. */
export function isXmlCall(type: MediaType | undefined, body: Uint8Array): boolean {
  return type !== undefined && (isXml(type) || isJson(type)) ? isXml(type) : firstByte(body) === LESS_THAN
}

/** Returns true for a call in JSON. An empty body is one if its content type is JSON. */
export async function isJsonCall({ controller, settings }: ServiceRequest): Promise<boolean> {
  const { mediaType: type } = controller.request
  if (type !== undefined && isXml(type)) return false
  const isDeclared = type !== undefined && isJson(type)
  const body = await controller.request.bytes(settings.max_body_length)
  const first = firstByte(body)
  return first === BRACE || (isDeclared && first !== LESS_THAN)
}

/** Refuses a call in JSON that belongs to no protocol of the service. */
export function refusePlainJSON(request: ServiceRequest, faces: readonly Face[]): Responder {
  const protocols = faces.filter(({ path }) => path === '').map(({ title }) => title)
  const detail = `This service does not answer plain JSON. It answers ${protocols.join(' and ')}.`
  return request.refuse(new HTTPNotFound(detail))
}

/** Returns true for `application/xml`, `text/xml` and types with the suffix `+xml` (RFC 7303 §4.2). */
function isXml({ essence }: MediaType): boolean {
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml')
}

/** Returns the first byte that is not blank. Skips a byte order mark and the zeros of UTF-16. */
function firstByte(body: Uint8Array): number | undefined {
  return body.find((byte) => !SKIPPED.has(byte))
}

/** Answers a GET in which a hook refused the request by an HTTP exception, or by a failure with a code. Throws any other error. */
export function respondToFailure(state: CallState, error: unknown): Responder {
  const failure = failureThrown(error)
  const isCoded = failure?.kind === 'application'
  return respondToError(state, isCoded ? makeException(statusFor(failure.code), failure.message) : error)
}
