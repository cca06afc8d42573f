import type { Response } from '../http/response.ts'
import type { HeaderPair, StartResponse } from '../wsgi/types.ts'

/**
 * A `start_response` that adds the cookies and `X-` headers of a controller's own response to whatever an application
 * answers: the rest of that response describes a body that is not sent.
 */
export function addingHeadersOf(
  standing: () => Response | undefined,
  start_response: StartResponse,
): StartResponse {
  return (status, headers, excInfo) => start_response(status, withStanding(headers, standing()), excInfo)
}

function withStanding(headers: HeaderPair[], standing: Response | undefined): HeaderPair[] {
  if (standing === undefined) return headers
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const added: HeaderPair[] = []
  for (const [name, value] of standing.headers) {
    const key = name.toLowerCase()
    if (key === 'set-cookie' || (key.startsWith('x-') && !names.has(key))) added.push([name, value])
  }
  return [...headers, ...added]
}
