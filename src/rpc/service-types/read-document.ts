import { isRecord } from '../../base/record.ts'
import { readOpenAPI } from './openapi.ts'
import { readOpenRPC } from './openrpc.ts'
import { member } from './pointer.ts'
import type { ServiceDocument } from './service-document.ts'

/**
 * Reads an OpenRPC 1.x document, or an OpenAPI 3.x document of which each operation by POST with a JSON object is a
 * procedure.
 *
 * @throws TypeError - the value is neither.
 */
export function readServiceDocument(document: unknown): ServiceDocument {
  if (isRecord(document)) {
    if (typeof member(document, 'openrpc') === 'string') return readOpenRPC(document)
    if (typeof member(document, 'openapi') === 'string') return readOpenAPI(document)
  }
  throw new TypeError(
    'The document is neither OpenRPC nor OpenAPI 3. It needs a member `openrpc` or `openapi` with the version.',
  )
}
