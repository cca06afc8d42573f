/** Selects the face that answers a request. */
import { HTTPMethodNotAllowed, HTTPNotFound } from '../../../http/exceptions.ts'
import { isJson, type MediaType } from '../../../http/media-type.ts'
import type { Responder } from '../../responder.ts'
import { allowedMethods } from '../../statics.ts'
import type { ServiceRequest } from '../service-request.ts'
import { type Face, type FaceName, facesOf } from './face.ts'
import { answerJSON } from './json.ts'
import { answerJSONRPC } from './jsonrpc.ts'
import { answerMCP } from './mcp.ts'
import { answerOpenAPI } from './openapi.ts'
import { answerOpenRPC } from './openrpc.ts'
import { showPage } from './page.ts'
import { answerXMLRPC } from './xmlrpc.ts'

/** Actions at which one face answers, whatever the procedures are. */
const PLACES: ReadonlyMap<string, readonly [name: FaceName, face: Face]> = new Map<string, [FaceName, Face]>([
  ['mcp', ['mcp', answerMCP]],
  ['openapi.json', ['openapi', answerOpenAPI]],
  ['openrpc.json', ['openrpc', answerOpenRPC]],
])

/** Actions by which no procedure is called. They may be the labels of logs and traces. */
export function isPlace(action: string): boolean {
  return action === 'index' || PLACES.has(action)
}

/** Returns the face for the action of a match. */
export function faceFor(faces: ReadonlySet<FaceName>, action: string): Face {
  const [name, face] = PLACES.get(action) ?? []
  if (name !== undefined && face !== undefined && faces.has(name)) return face
  return action !== 'index' && faces.has('json') ? answerJSON : answerIndex
}

/** Answers at the URL of the service: calls are POSTed, a GET shows the page. */
async function answerIndex(request: ServiceRequest): Promise<Responder> {
  const { settings, controller } = request
  const { method } = controller.request
  if (method === 'POST') {
    const face = await callFace(request)
    if (face !== undefined) return face(request)
  } else if (settings.browsable && (method === 'GET' || method === 'HEAD')) {
    return showPage(request)
  }
  const refused = new Set([method, ...(settings.browsable ? [] : ['GET', 'HEAD'])])
  const allow = allowedMethods(settings).filter((allowed) => !refused.has(allowed))
  throw allow.length > 1
    ? new HTTPMethodNotAllowed(undefined, { Allow: allow.join(', ') })
    : new HTTPNotFound()
}

/** Returns the face for a POSTed call. A class that has one of both protocols takes calls of any content type. */
async function callFace(request: ServiceRequest): Promise<Face | undefined> {
  const faces = facesOf(request.settings)
  if (!faces.has('jsonrpc')) return faces.has('xmlrpc') ? answerXMLRPC : undefined
  if (!faces.has('xmlrpc')) return answerJSONRPC
  const type = request.controller.request.mediaType
  if (type !== undefined && isJson(type)) return answerJSONRPC
  if (type !== undefined && isXml(type)) return answerXMLRPC
  return beginsAsXml(await request.body()) ? answerXMLRPC : answerJSONRPC
}

/** Returns true for `application/xml`, `text/xml` and types with the suffix `+xml` (RFC 7303 §4.2). */
function isXml({ essence }: MediaType): boolean {
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml')
}

/** Returns true if `<` is the first byte that is not blank. Skips a byte order mark and the zeros of UTF-16. */
function beginsAsXml(body: Uint8Array): boolean {
  return body.find((byte) => !SKIPPED.has(byte)) === 0x3c
}

const SKIPPED: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff])
