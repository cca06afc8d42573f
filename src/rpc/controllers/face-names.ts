import type { ControllerClass } from '../../controllers/controller-class.ts'

/** Names of faces in `static faces`. */
export const FACE_NAMES = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi', 'openrpc'] as const

/** Name of a face in `static faces`. */
export type FaceName = (typeof FACE_NAMES)[number]

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
