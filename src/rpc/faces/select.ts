/** The faces, and the one that answers a request. Each is loaded at the first request that it may answer. */

import { isRead } from '../../base/methods.ts'
import { oncePer } from '../../base/once-per.ts'
import { ACTION_KEY, stateOf } from '../../controllers/call-state.ts'
import { type ControllerClass, isPrivate } from '../../controllers/class-methods.ts'
import type { Responder } from '../../controllers/represent.ts'
import { allowedMethods } from '../../controllers/statics.ts'
import {
  type HTTPException,
  HTTPMethodNotAllowed,
  HTTPNotFound,
  HTTPUnsupportedMediaType,
} from '../../http/exceptions.ts'
import { isJson } from '../../http/media-type.ts'
import { DEFAULT_FACES, type ServiceClass } from '../controllers/service-controller.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { type Face, PROCEDURE_PATH, refusePlainJSON } from './face.ts'

/** Name of a face in `static faces`. */
export type FaceName = 'xmlrpc' | 'jsonrpc' | 'json' | 'mcp' | 'openapi'

interface LazyFace {
  /** Names a call by the protocol for messages. Undefined for a document, which clients read by GET. */
  readonly call: string | undefined
  load(): Promise<Face>
}

/** The faces. The record is the list of their names: it has each member of {@link FaceName}. */
export const FACES: Readonly<Record<FaceName, LazyFace>> = {
  xmlrpc: { call: 'XML-RPC', load: async () => (await import('./xmlrpc.ts')).XMLRPC },
  jsonrpc: { call: 'JSON-RPC', load: async () => (await import('./jsonrpc.ts')).JSONRPC },
  json: { call: 'JSON', load: async () => (await import('./json.ts')).JSON_CALLS },
  mcp: { call: 'tool', load: async () => (await import('./mcp.ts')).MCP },
  openapi: { call: undefined, load: async () => (await import('./openapi.ts')).OPENAPI },
}

/** A class with faces. */
type FacedClass = ControllerClass & Pick<ServiceClass, 'browsable' | typeof DEFAULT_FACES>

/**
 * Returns the names of the faces of a class.
 *
 * @throws TypeError - `static faces` is not a list of names of faces.
 */
const faceNames = oncePer((controllerClass: FacedClass): readonly FaceName[] => {
  const declared: unknown = Reflect.get(controllerClass, 'faces') ?? controllerClass[DEFAULT_FACES]
  if (!Array.isArray(declared) || declared.length === 0 || !declared.every(isFaceName)) {
    throw new TypeError(
      `${controllerClass.name}.faces is ${JSON.stringify(declared)}. Use a list of ${Object.keys(FACES).join(', ')}.`,
    )
  }
  return [...new Set(declared)]
})

/** Returns true for the name of a face. */
export function isFaceName(name: unknown): name is FaceName {
  return typeof name === 'string' && Object.hasOwn(FACES, name)
}

/**
 * Returns the action at whose path a service is a server of the Model Context Protocol. Undefined if it is not one.
 *
 * @throws TypeError - as {@link faceNames}.
 */
export function serverActionOf(controllerClass: FacedClass): FaceName | undefined {
  return faceNames(controllerClass).find((name) => name === 'mcp')
}

/**
 * Returns the methods that a service answers unless it declares others.
 *
 * @throws TypeError - as {@link faceNames}.
 */
export function methodsOf(controllerClass: FacedClass): readonly string[] {
  const hasPages =
    controllerClass.browsable || faceNames(controllerClass).some((name) => FACES[name].call === undefined)
  return hasPages ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : ['OPTIONS', 'POST']
}

/**
 * Answers a request to a service.
 *
 * @param action - the action of the match.
 * @throws TypeError - as {@link faceNames}.
 */
export async function answerService(request: ServiceRequest, action: string): Promise<Responder> {
  const { settings, controller } = request
  const { environ } = stateOf(controller)
  const faces = await facesOf(settings)
  environ[ACTION_KEY] = action
  if (action === 'index') return answerIndex(request, faces)
  const face = faces.find(({ path }) => path === `/${action}`)
  if (face !== undefined) return face.answer(request, faces)
  // The action is a name that the client sent. A call replaces it in logs and traces by the name of its method.
  environ[ACTION_KEY] = null
  const procedures = faces.find(({ path }) => path === PROCEDURE_PATH)
  if (procedures !== undefined) return procedures.answer(request, faces)
  if (isPrivate(action) || callFaces(faces).length === 0 || (await isPathOfFace(action))) {
    return refusal(request, new HTTPNotFound())
  }
  // Many clients send calls to a path below the service, such as /RPC2.
  environ[ACTION_KEY] = 'index'
  return answerIndex(request, faces)
}

const facesOf = oncePer((controllerClass: FacedClass): Promise<Face[]> => load(faceNames(controllerClass)))

function load(names: readonly FaceName[]): Promise<Face[]> {
  return Promise.all(names.map((name) => FACES[name].load()))
}

/** All faces, loaded on first use. They are kept, because Node resolves the specifier of each import() again. */
let all: Promise<Face[]> | undefined

/** Returns true if a face answers at a path, whether the service has it or not. */
async function isPathOfFace(action: string): Promise<boolean> {
  all ??= load(Object.keys(FACES).filter(isFaceName))
  return (await all).some(({ path }) => path === `/${action}`)
}

function callFaces(faces: readonly Face[]): Face[] {
  return faces.filter(({ path }) => path === '')
}

/** Answers at the URL of the service: calls are POSTed, a GET shows the page. */
async function answerIndex(request: ServiceRequest, faces: readonly Face[]): Promise<Responder> {
  const { settings, controller } = request
  const { method } = controller.request
  const calls = callFaces(faces)
  const face = method === 'POST' ? await faceOfCall(request, calls) : undefined
  if (face !== undefined) return face.answer(request, faces)
  if (method === 'POST' && calls.length > 0) return refuseType(request, calls)
  if (settings.browsable && isRead(method)) {
    const { showPage } = await import('./page.ts')
    return showPage(request, faces)
  }
  const answered = [...(settings.browsable ? ['GET', 'HEAD'] : []), ...(calls.length > 0 ? ['POST'] : [])]
  if (answered.length === 0) return refusal(request, new HTTPNotFound())
  const allow = allowedMethods(settings).filter((each) => answered.includes(each) || each === 'OPTIONS')
  return refusal(request, new HTTPMethodNotAllowed(undefined, { Allow: allow.join(', ') }))
}

/** Returns the face of a POSTed call: by its content type, or by its body if it has none, as some clients send it. */
async function faceOfCall({ controller, settings }: ServiceRequest, faces: readonly Face[]): Promise<Face | undefined> {
  const { contentType, mediaType: type } = controller.request
  if (contentType !== undefined) return type && faces.find(({ calls }) => calls?.includes(type))
  if (faces.length < 2) return faces[0]
  const body = await controller.request.bytes(settings.max_body_length)
  return faces.find(({ calls }) => calls?.beginsWith(body))
}

/** Refuses a call whose content type is of none of the faces, and plain JSON below the URL of the service. */
function refuseType(request: ServiceRequest, faces: readonly Face[]): Responder {
  const { mediaType: type } = request.controller.request
  const isBelow = stateOf(request.controller).action !== 'index'
  if (isBelow && type !== undefined && isJson(type)) return refusePlainJSON(request, faces)
  const protocols = faces.map(({ title, calls }) => `${title} with the content type ${calls?.type}`)
  const headers = { Accept: faces.map(({ calls }) => calls?.type).join(', ') }
  const detail = `This service answers ${protocols.join(' and ')}.`
  return refusal(request, new HTTPUnsupportedMediaType(detail, headers))
}

/** Answers with an error: as a problem document if the client sent JSON. */
function refusal(request: ServiceRequest, exception: HTTPException): Responder {
  const { mediaType } = request.controller.request
  if (mediaType === undefined || !isJson(mediaType)) throw exception
  return request.refuse(exception)
}
