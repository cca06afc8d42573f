/**
 * The AbortSignal of a request: `request.signal`.
 *
 * @module
 */
import type { Environ } from './types.ts'

const KEY = 'propylon.cancellation'

/**
 * Returns the controller of a request's signal, which is created on first use. The server aborts it when the client
 * disconnects before the response is complete, or when a shutdown cuts the request.
 */
export function cancellationOf(environ: Environ): AbortController {
  const kept = environ[KEY]
  if (kept instanceof AbortController) return kept
  const controller = new AbortController()
  environ[KEY] = controller
  environ['propylon.connection']?.onLost((reason) => controller.abort(reason))
  return controller
}
