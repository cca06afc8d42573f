/** The faces of an RPC controller: the protocols and documents by which clients use its procedures. */
import type { ControllerClass } from '../../metadata.ts'
import type { Responder } from '../../responder.ts'
import type { CheckedCall } from '../check-call.ts'
import type { Procedure } from '../procedures.ts'
import type { Failure } from '../rpc-failure.ts'
import type { ServiceRequest } from '../service-request.ts'

/** Names of faces in `static faces`. */
export const FACE_NAMES = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi', 'openrpc'] as const

/** Name of a face in `static faces`. */
export type FaceName = (typeof FACE_NAMES)[number]

/**
 * Answers one request. It reads the calls in the request, runs them with {@link ServiceRequest.call} and writes their ends.
 *
 * @throws HTTPException - the response, such as a 405.
 */
export type Face = (request: ServiceRequest) => Responder | Promise<Responder>

/** The part of a face that differs by protocol: finding procedures, and writing results and failures as answers of type `T`. */
export interface Dialect<T> {
  /** Returns the procedure for a name that a client sent, which may be of any length. */
  find(name: string): Procedure | undefined
  /** Writes the result. An error that it throws is an unexpected error of the call. */
  result(value: unknown, call: CheckedCall): T
  /** Writes the end of a call without a result. */
  failure(failure: Failure): T
}

/** Key of a static property: the faces of a class that does not declare `static faces`. */
export const DEFAULT_FACES: unique symbol = Symbol('propylon.faces')

/** A class with faces. */
export type FacedClass = ControllerClass & { readonly [DEFAULT_FACES]: readonly FaceName[] }

/**
 * Returns the faces of a class.
 *
 * @throws TypeError - `static faces` is not a list of names of faces.
 */
export function facesOf(controllerClass: FacedClass): ReadonlySet<FaceName> {
  let faces = facesByClass.get(controllerClass)
  if (faces === undefined) {
    const declared: unknown = Reflect.get(controllerClass, 'faces') ?? controllerClass[DEFAULT_FACES]
    faces = checkFaces(controllerClass.name, declared)
    facesByClass.set(controllerClass, faces)
  }
  return faces
}

const facesByClass = new WeakMap<ControllerClass, ReadonlySet<FaceName>>()

function checkFaces(className: string, declared: unknown): ReadonlySet<FaceName> {
  if (Array.isArray(declared) && declared.length > 0 && declared.every(isFaceName)) return new Set(declared)
  throw new TypeError(
    `${className}.faces is ${JSON.stringify(declared)}. Use a list of ${FACE_NAMES.join(', ')}.`,
  )
}

function isFaceName(name: unknown): name is FaceName {
  return FACE_NAMES.some((known) => known === name)
}
