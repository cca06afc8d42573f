import { isRead } from '../../base/methods.ts'
import type { HTTPException } from '../http-exception.ts'
import { HTTPMethodNotAllowed, HTTPNotFound } from '../status-exceptions.ts'

/**
 * Returns the exception for a request that no file answers: 405 unless the method is GET or HEAD, otherwise 404.
 *
 * @param detail - message for the client of a 404.
 */
export function refusalOf(method: string, detail?: string): HTTPException {
  return isRead(method)
    ? new HTTPNotFound(detail)
    : new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD' })
}
