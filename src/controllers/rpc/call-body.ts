/** The body of a call to a service: there, and not too long. */

import type { Request } from '../../http/request.ts'
import { HTTPLengthRequired } from '../../http/status-exceptions.ts'

/**
 * Reads the body of a call, decompressed. Its content type does not matter: many clients name another than they should,
 * or none.
 *
 * @param limit in bytes, of the body as it was sent and as it is decompressed.
 * @throws HTTPUnsupportedMediaType for content encodings other than gzip and deflate.
 * @throws HTTPLengthRequired when there is no body, or an empty one.
 * @throws HTTPRequestEntityTooLarge over the limit, which its message names.
 * @throws HTTPBadRequest when the body is cut short or the compressed data is broken.
 */
export async function readCall(request: Request, limit: number): Promise<Uint8Array> {
  if (request.contentLength === 0) throw noBody()
  const body = await request.bytes(limit)
  if (body.length === 0) throw noBody()
  return body
}

function noBody(): HTTPLengthRequired {
  return new HTTPLengthRequired('The request has no body: send a call.')
}
