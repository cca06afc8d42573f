/** `start_response` as an action receives it, and the header fields that its controller adds to a head. */

import { HeaderList } from '../http/headers.ts'
import { Response } from '../http/response.ts'
import type { Chunk, HeaderPair, StartResponse } from '../wsgi/types.ts'
import type { CallState } from './call-state.ts'
import { isNegotiated } from './represent.ts'

/** Returns a `start_response` for an action to call. Once it was called, the action's result is the body. */
export function startResponseForAction(state: CallState): StartResponse {
  const start = addOwnHeaders(state, (...head) => state.start_response(...head))
  return (status, headers, excInfo) => {
    const { started, session } = state
    state.started ??= { head: undefined }
    if (session === undefined) return start(status, headers, excInfo)
    if (started?.head !== undefined && (excInfo === undefined || excInfo === null)) {
      throw new Error('start_response was called twice without exc_info (PEP 3333).')
    }
    // The session is saved when the action returns, and its cookie belongs to the head.
    const chunks: Chunk[] = []
    state.started = { head: { status, headers, excInfo, chunks } }
    return (chunk) => void chunks.push(chunk)
  }
}

/**
 * Returns a `start_response` that adds `Set-Cookie`, `Vary`, `Cache-Control` and `X-` headers of a controller's own
 * response to the headers of an application. Its other headers describe a body that is not sent.
 */
export function addOwnHeaders(state: CallState, start_response: StartResponse): StartResponse {
  return (status, headers, excInfo) => {
    const fields = withOwn(headers, state.response)
    return start_response(status, isNegotiated(state) ? withAccept(fields) : fields, excInfo)
  }
}

/** Returns a `start_response` that adds `Vary: Accept`. */
export function varying(start_response: StartResponse): StartResponse {
  return (status, headers, excInfo) => start_response(status, withAccept(headers), excInfo)
}

/** Adds `Vary: Accept` to the fields of a negotiated response. Last, because the action may have replaced `Vary`. */
function withAccept(headers: HeaderPair[]): HeaderPair[] {
  const vary = headers.find(([name]) => name.length === 4 && name.toLowerCase() === 'vary')
  if (vary === undefined) return [...headers, VARY_ACCEPT]
  return vary[1] === 'Accept' ? headers : new HeaderList(headers).addToken('Vary', 'Accept').toPairs()
}

const VARY_ACCEPT: HeaderPair = ['Vary', 'Accept']

/** The header fields of a negotiated response, for callbacks of {@link whenFinished}. */
export const NEGOTIATED = new Response(null, { headers: { Vary: 'Accept' } })

const ADDED = /^(?:set-cookie|vary|cache-control|x-.*)$/i

function withOwn(headers: HeaderPair[], own: Response | undefined): HeaderPair[] {
  if (own === undefined) return headers
  const added = [...own.headers].filter(([name]) => ADDED.test(name))
  const merged = new Response(null, { headers: added }).mergeInto(new Response(null, { headers }))
  return merged.headers.toPairs()
}
