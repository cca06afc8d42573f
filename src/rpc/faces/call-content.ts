/** Distinguishes protocols by the content of a call. */

import type { Responder } from '../../controllers/responder.ts'
import { HTTPNotFound } from '../../http/exceptions.ts'
import { isJson, type MediaType } from '../../http/media-type.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import type { Face } from './face.ts'

/** Returns true for a content type of XML, or for a body that begins with `<` if the type is neither XML nor JSON. */
export function isXmlCall(type: MediaType | undefined, body: Uint8Array): boolean {
  return type !== undefined && (isXml(type) || isJson(type)) ? isXml(type) : firstByte(body) === LESS_THAN
}

/** Returns true for a call in JSON. An empty body is one if its content type is JSON. */
export async function isJsonCall({ controller, settings }: ServiceRequest): Promise<boolean> {
  const { mediaType: type } = controller.request
  if (type !== undefined && isXml(type)) return false
  const isDeclared = type !== undefined && isJson(type)
  const body = await controller.request.bytes(settings.max_body_length)
  const first = firstByte(body)
  return first === BRACE || (isDeclared && first !== LESS_THAN)
}

/** Refuses a call in JSON that belongs to no protocol of the service. */
export function refusePlainJSON(request: ServiceRequest, faces: readonly Face[]): Responder {
  const protocols = faces.filter(({ path }) => path === '').map(({ title }) => title)
  const detail = `This service does not answer plain JSON. It answers ${protocols.join(' and ')}.`
  return request.refuse(new HTTPNotFound(detail))
}

/** Returns true for `application/xml`, `text/xml` and types with the suffix `+xml` (RFC 7303 §4.2). */
function isXml({ essence }: MediaType): boolean {
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml')
}

/** Returns the first byte that is not blank. Skips a byte order mark and the zeros of UTF-16. */
function firstByte(body: Uint8Array): number | undefined {
  return body.find((byte) => !SKIPPED.has(byte))
}

const LESS_THAN = 0x3c
const BRACE = 0x7b

const SKIPPED: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff])
