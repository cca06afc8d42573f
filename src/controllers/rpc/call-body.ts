/** The body of a call to a service: there, of a fitting type, and not too long. */
import { HTTPLengthRequired, HTTPUnsupportedMediaType } from '../../http/client-errors.ts'
import type { Request } from '../../http/request.ts'

/** What a page's form can send to any site without asking it first (Fetch, "CORS-safelisted request-header"). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])

/**
 * Reads the body of a call, decompressed. Many clients name another type than they should, or none, and are read all
 * the same; the types of forms are refused, since only browsers send them, and not to call a service.
 *
 * @param limit in bytes, of the body as it was sent and as it is decompressed.
 * @param expected the media type that messages name.
 * @throws HTTPUnsupportedMediaType for a form's content type and for content encodings other than gzip and deflate.
 * @throws HTTPLengthRequired when there is no body, or an empty one.
 * @throws HTTPRequestEntityTooLarge over the limit, which its message names.
 * @throws HTTPBadRequest when the body is cut short or the compressed data is broken.
 */
export async function readCall(request: Request, limit: number, expected: string): Promise<Uint8Array> {
  if (request.contentLength === 0) throw noBody()
  const essence = request.mediaType?.essence
  if (essence !== undefined && FORM_TYPES.has(essence)) {
    throw new HTTPUnsupportedMediaType(`Send the call as ${expected}, not as ${essence}.`, {
      Accept: expected,
    })
  }
  const body = await request.bytes(limit)
  if (body.length === 0) throw noBody()
  return body
}

function noBody(): HTTPLengthRequired {
  return new HTTPLengthRequired('The request has no body: send a call.')
}
