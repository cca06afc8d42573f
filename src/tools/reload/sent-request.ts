/** Requests that assistants send to the application. */

import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { errorMessage } from '../../base/thrown.ts'

/** Maximum number of characters of a body that is returned. */
const MAX_TEXT = 100_000

/** Time for a response and its body, in milliseconds. An event stream may have no end. */
const TIMEOUT = 10_000

/** A request in the words of an assistant. */
export interface SentRequest {
  readonly method: string
  /** Path with a query. */
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** The response to a request, with the beginning of its body. */
export interface SentResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string
  readonly isComplete: boolean
}

/**
 * Sends a request and returns its response. The rest of a body that is too long or takes too long is cancelled.
 *
 * @param signal - cancels the request.
 * @throws JSONRPCError, as a rejection - the request is malformed, or there is no response in time.
 */
export async function sendRequest(
  request: SentRequest,
  fetch: (request: Request) => Promise<Response>,
  signal: AbortSignal,
): Promise<SentResponse> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), TIMEOUT)
  const ending = AbortSignal.any([signal, ended.signal])
  const isEnded = new Promise<undefined>((resolve) => {
    ending.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  try {
    const response = await Promise.race([fetch(requestOf(request, ending)), isEnded])
    if (response === undefined) {
      throw new JSONRPCError(422, `The application has not answered within ${TIMEOUT / 1000} seconds.`)
    }
    const { status, headers } = response
    const cookies = headers.getSetCookie()
    const fields = Object.fromEntries(headers)
    return {
      status,
      headers: cookies.length > 1 ? { ...fields, 'set-cookie': cookies } : fields,
      ...(await beginningOf(response, isEnded)),
    }
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}

/** @throws JSONRPCError - the request is malformed. */
function requestOf({ method, path, headers, body }: SentRequest, signal: AbortSignal): Request {
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  try {
    const url = new URL(path, 'http://localhost')
    if (!path.startsWith('/') || url.host !== 'localhost') throw new TypeError('a path begins with a slash')
    return new Request(url, {
      method,
      headers: fields,
      ...(body !== '' && { body }),
      redirect: 'manual',
      signal,
    })
  } catch (error) {
    throw new JSONRPCError(422, `The request is malformed: ${errorMessage(error)}`)
  }
}

/** Reads a body until it is too long or `isEnded` resolves, and cancels the rest. */
async function beginningOf(
  { body }: Response,
  isEnded: Promise<undefined>,
): Promise<Pick<SentResponse, 'body' | 'isComplete'>> {
  const reader = body?.getReader()
  if (reader === undefined) return { body: '', isComplete: true }
  const decoder = new TextDecoder()
  let text = ''
  while (text.length <= MAX_TEXT) {
    // The error of a body that fails has been reported.
    const next = await Promise.race([reader.read().catch(() => undefined), isEnded])
    if (next === undefined) break
    if (next.done) return { body: text + decoder.decode(), isComplete: true }
    text += decoder.decode(next.value, { stream: true })
  }
  await Promise.race([reader.cancel().catch(() => {}), isEnded])
  return { body: text.slice(0, MAX_TEXT), isComplete: false }
}
