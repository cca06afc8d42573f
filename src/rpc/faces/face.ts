import type { Responder } from '../../controllers/responder.ts'
import type { MediaType } from '../../http/media-type.ts'
import type { Procedure, Service } from '../controllers/procedures.ts'
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

/** Path of a face at which each procedure has a URL of its own. */
export const PROCEDURE_PATH = '/<method>'
