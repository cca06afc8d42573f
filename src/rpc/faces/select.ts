/** Selects the face that answers a request. */

import { isPrivate } from '../../controllers/metadata.ts'
import { type Responder, useResponse } from '../../controllers/responder.ts'
import { allowedMethods } from '../../controllers/statics.ts'
import { errorMediaType } from '../../http/error-document.ts'
import { type HTTPException, HTTPMethodNotAllowed, HTTPNotFound } from '../../http/exceptions.ts'
import { isJson, type MediaType } from '../../http/media-type.ts'
import { type FaceName, facesOf } from '../controllers/face-names.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import type { Face } from './face.ts'

/** A place of a service: the face that answers there, and the action in logs and traces. */
interface Place {
  readonly face: Face
  /** Null where the action of the match is a name that the client sent. A call replaces it by the name of its method. */
  readonly action: string | null
}

const answerJSON = loaded(async () => (await import('./json.ts')).answerJSON)
const answerJSONRPC = loaded(async () => (await import('./jsonrpc.ts')).answerJSONRPC)
const answerMCP = loaded(async () => (await import('./mcp.ts')).answerMCP)
const answerOpenAPI = loaded(async () => (await import('./openapi.ts')).answerOpenAPI)
const answerOpenRPC = loaded(async () => (await import('./openrpc.ts')).answerOpenRPC)
const answerXMLRPC = loaded(async () => (await import('./xmlrpc.ts')).answerXMLRPC)
const showPage = loaded(async () => (await import('./page.ts')).showPage)

/** Returns a face that is loaded at its first request: an application has the protocols that it uses. */
function loaded(load: () => Promise<Face>): (request: ServiceRequest) => Promise<Responder> {
  let face: Promise<Face> | undefined
  return async (request) => {
    face ??= load()
    return (await face)(request)
  }
}

/** Places of one face, whatever the procedures are, by the action of the match. */
const PLACES: ReadonlyMap<string, Place & { readonly of: FaceName }> = new Map(
  Object.entries({
    mcp: { of: 'mcp', face: answerMCP, action: 'mcp' },
    'openapi.json': { of: 'openapi', face: answerOpenAPI, action: 'openapi.json' },
    'openrpc.json': { of: 'openrpc', face: answerOpenRPC, action: 'openrpc.json' },
  }),
)

const PROCEDURES: Place = { face: answerJSON, action: null }

const INDEX: Place = { face: answerIndex, action: 'index' }

const BELOW: Place = { face: answerBelow, action: 'index' }

const NOWHERE: Place = {
  face: (request) => refusal(request, new HTTPNotFound()),
  action: null,
}

/** Returns the place of an action. */
export function placeOf(action: string, faces: ReadonlySet<FaceName>): Place {
  if (action === 'index') return INDEX
  const place = PLACES.get(action)
  if (place !== undefined && faces.has(place.of)) return place
  if (faces.has('json')) return PROCEDURES
  // Many clients send calls to a path below the service, such as /RPC2.
  const isAnswered =
    place === undefined && !isPrivate(action) && (faces.has('xmlrpc') || faces.has('jsonrpc'))
  return isAnswered ? BELOW : NOWHERE
}

/** Answers at the URL of the service: calls are POSTed, a GET shows the page. */
function answerIndex(request: ServiceRequest): Responder | Promise<Responder> {
  const { settings, controller } = request
  const { method } = controller.request
  const faces = facesOf(settings)
  const takesCalls = faces.has('xmlrpc') || faces.has('jsonrpc')
  if (method === 'POST' && takesCalls) return answerCall(request, faces)
  if (settings.browsable && (method === 'GET' || method === 'HEAD')) return showPage(request)
  const answered = [...(settings.browsable ? ['GET', 'HEAD'] : []), ...(takesCalls ? ['POST'] : [])]
  if (answered.length === 0) return refusal(request, new HTTPNotFound())
  const allow = allowedMethods(settings).filter((each) => answered.includes(each) || each === 'OPTIONS')
  return refusal(request, new HTTPMethodNotAllowed(undefined, { Allow: allow.join(', ') }))
}

/** Answers below the URL of a service without plain JSON: calls of other protocols, as at the URL itself. */
async function answerBelow(request: ServiceRequest): Promise<Responder> {
  const faces = facesOf(request.settings)
  if (request.controller.request.method === 'POST' && (await isPlainJSON(request, faces))) {
    return withoutPlainJSON(request, faces)
  }
  return answerIndex(request)
}

/** Answers a POSTed call. A class that has one of both protocols takes calls of any content type. */
async function answerCall(request: ServiceRequest, faces: ReadonlySet<FaceName>): Promise<Responder> {
  if (!faces.has('jsonrpc')) {
    if (await isPlainJSON(request, faces)) return withoutPlainJSON(request, faces)
    return answerXMLRPC(request)
  }
  if (!faces.has('xmlrpc')) return answerJSONRPC(request)
  const type = request.controller.request.mediaType
  if (type !== undefined && isJson(type)) return answerJSONRPC(request)
  if (type !== undefined && isXml(type)) return answerXMLRPC(request)
  return request.body().then((body) => (beginsAsXml(body) ? answerXMLRPC(request) : answerJSONRPC(request)))
}

/** Returns true for a call in JSON that belongs to no protocol: neither XML nor, if the service answers it, JSON-RPC 2.0. */
async function isPlainJSON(request: ServiceRequest, faces: ReadonlySet<FaceName>): Promise<boolean> {
  const { mediaType } = request.controller.request
  if (mediaType !== undefined && isXml(mediaType)) return false
  const isDeclared = mediaType !== undefined && isJson(mediaType)
  const body = await request.controller.request.bytes(request.settings.max_body_length)
  if (body.length === 0) return isDeclared
  const first = body.find((byte) => !SKIPPED.has(byte))
  if (first === LESS_THAN || !(isDeclared || first === BRACE)) return false
  return !faces.has('jsonrpc') || !new TextDecoder().decode(body).includes('"jsonrpc"')
}

function withoutPlainJSON(request: ServiceRequest, faces: ReadonlySet<FaceName>): Responder {
  const protocols = [
    ...(faces.has('xmlrpc') ? ['XML-RPC'] : []),
    ...(faces.has('jsonrpc') ? ['JSON-RPC 2.0'] : []),
  ]
  const detail = `This service does not answer plain JSON. It answers ${protocols.join(' and ')}.`
  return problem(request, new HTTPNotFound(detail))
}

/** Answers with an error: as a problem document if the client sent JSON. */
function refusal(request: ServiceRequest, exception: HTTPException): Responder {
  const { mediaType } = request.controller.request
  if (mediaType === undefined || !isJson(mediaType)) throw exception
  return problem(request, exception)
}

function problem({ controller }: ServiceRequest, exception: HTTPException): Responder {
  const { environ } = controller.request
  if (errorMediaType(environ.HTTP_ACCEPT) === 'text/html') throw exception
  return useResponse(
    controller,
    exception.toResponse({ ...environ, HTTP_ACCEPT: 'application/problem+json' }),
  )
}

/** Returns true for `application/xml`, `text/xml` and types with the suffix `+xml` (RFC 7303 §4.2). */
function isXml({ essence }: MediaType): boolean {
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml')
}

/** Returns true if `<` is the first byte that is not blank. Skips a byte order mark and the zeros of UTF-16. */
function beginsAsXml(body: Uint8Array): boolean {
  return body.find((byte) => !SKIPPED.has(byte)) === LESS_THAN
}

const LESS_THAN = 0x3c
const BRACE = 0x7b

const SKIPPED: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff])
