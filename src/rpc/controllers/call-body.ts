/** Reads the body of an RPC call. */
import type { Request } from '../../http/request.ts'
import { HTTPLengthRequired } from '../../http/status-exceptions.ts'

/**
 * Reads and decompresses the body of a call. The content type is not checked, because many clients send a wrong one or
 * none.
 *
 * @param limit - maximum length in bytes, both compressed and decompressed.
 * @throws HTTPUnsupportedMediaType - the content encoding is neither gzip nor deflate.
 * @throws HTTPLengthRequired - the body is missing or empty.
 * @throws HTTPRequestEntityTooLarge - the body is longer than the limit.
 * @throws HTTPBadRequest - the body is incomplete, or its compressed data is invalid.
 */
export function readCall(request: Request, limit: number): Promise<Uint8Array> {
  if (request.contentLength === 0) return Promise.reject(missingBody())
  return request.bytes(limit).then(requireBytes)
}

function requireBytes(body: Uint8Array): Uint8Array {
  if (body.length === 0) throw missingBody()
  return body
}

function missingBody(): HTTPLengthRequired {
  return new HTTPLengthRequired('The request has no body: send a call.')
}
