import type { Responder } from '../../controllers/responder.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'

/**
 * Answers one request. It reads the calls in the request, runs them with {@link ServiceRequest.call} and writes their ends.
 *
 * @throws HTTPException - the response, such as a 405.
 */
export type Face = (request: ServiceRequest) => Responder | Promise<Responder>
