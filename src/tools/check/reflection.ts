/**
 * Controllers as their loaded classes describe them, for classes whose source is not part of the project.
 *
 * @module
 */

import type { ControllerClass } from '../../controllers/controller-class.ts'
import { type BodyParameter, declaredArguments } from '../../controllers/declared-arguments.ts'
import { inspectMethods } from '../../controllers/metadata.ts'
import { parametersOf } from '../../controllers/parameters.ts'
import { inheritedStatic } from '../../controllers/statics.ts'
import { WSGIController } from '../../controllers/wsgi-controller.ts'
import { schemaName } from '../../http/converters/converter.ts'
import { DEFAULT_FACES } from '../../rpc/controllers/service-controller.ts'
import {
  type ArgumentDeclaration,
  type ControllerModel,
  type ConverterModel,
  type MethodModel,
  type ParameterModel,
  type Place,
  UNDECLARED,
} from './model.ts'
import { ANY } from './shapes.ts'

/** Names of the framework's classes whose methods belong to a service. */
const SERVICES: ReadonlySet<string> = new Set(['XMLRPCController', 'JSONRPCController', 'RPCController'])

/** Members of the framework's base class, which an application's class overrides without adding an action. */
export const FRAMEWORK_MEMBERS: object = WSGIController.prototype

/** Returns the model of a loaded class. */
export function reflectedController(
  name: string,
  controllerClass: ControllerClass,
  place: Place | undefined,
): ControllerModel {
  const className = controllerClass.name || name
  const { methods, base } = inspectMethods(controllerClass)
  const own = new Set(Object.getOwnPropertyNames(controllerClass.prototype))
  const models = [...methods].map(
    ([method, value]) =>
      [method, reflectedMethod(className, method, value, place, !own.has(method))] as const,
  )
  return {
    name,
    className,
    place,
    isService: isService(base),
    faces: isService(base) ? loadedFaces(controllerClass) : [],
    methods: new Map(models),
    otherMembers: new Map(),
    isComplete: true,
    overridesArguments: methods.has('_get_method_args'),
    classes: [],
    decorated: [],
    // Decorators have replaced the methods already. Decorators of the framework keep the parameters.
    knowsDecorators: true,
    declaredArguments: (method) => reflectedArguments(controllerClass, method),
    declaredResult: (method) =>
      inheritedStatic(controllerClass, 'results', method) === undefined ? undefined : 'unknown',
    staticEntries: [],
  }
}

/** Adds what a loaded class inherits from classes that are not part of the project. */
export function completed(model: ControllerModel, controllerClass: ControllerClass): ControllerModel {
  const reflected = reflectedController(model.name, controllerClass, model.place)
  return {
    ...model,
    isService: reflected.isService,
    faces: reflected.faces,
    methods: new Map([...reflected.methods, ...model.methods]),
    isComplete: true,
    overridesArguments: reflected.overridesArguments,
    declaredArguments: (method) => {
      const written = model.declaredArguments(method)
      const isWritten = written.names !== undefined || written.converters.size > 0
      return isWritten ? written : reflected.declaredArguments(method)
    },
    declaredResult: (method) => model.declaredResult(method) ?? reflected.declaredResult(method),
  }
}

/** Returns true if a class of the framework serves methods instead of actions. */
function isService(base: object | null): boolean {
  for (let prototype = base; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    if (SERVICES.has(prototype.constructor.name)) return true
  }
  return false
}

/** Returns the faces of a loaded service, which may be of another copy of this package. */
function loadedFaces(controllerClass: ControllerClass): string[] {
  const declared: unknown = Reflect.get(controllerClass, 'faces')
  const faces = declared ?? Reflect.get(controllerClass, DEFAULT_FACES)
  return Array.isArray(faces) ? faces.filter((face) => typeof face === 'string') : []
}

function reflectedMethod(
  className: string,
  name: string,
  method: unknown,
  place: Place | undefined,
  isInherited: boolean,
): MethodModel {
  const parameters = typeof method === 'function' ? readParameters(method) : undefined
  return {
    name,
    label: `${className}.${name}`,
    place,
    parameters: parameters?.names ?? [],
    takesAll: parameters?.takesAll ?? true,
    source: undefined,
    loaded: typeof method === 'function' ? method : undefined,
    isInherited,
    isHelper: false,
  }
}

/** Returns the parameters of a function, or undefined if they cannot be read: the first call reports that. */
function readParameters(method: object): { names: ParameterModel[]; takesAll: boolean } | undefined {
  try {
    const parameters = parametersOf(method)
    return {
      names: parameters.names.map(({ name }) => reflectedParameter(name)),
      takesAll: parameters.kind === 'destructured' && parameters.rest,
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function reflectedArguments(controllerClass: ControllerClass, method: string): ArgumentDeclaration {
  const declared = declaredArguments(controllerClass, method)
  if (declared === undefined) return UNDECLARED
  if (declared.kind === 'names') return { ...UNDECLARED, names: declared.names.map(reflectedParameter) }
  const converters = [...declared.converters].map(([name, schema]): [string, ConverterModel] => [
    name,
    { shape: ANY, place: undefined, text: schemaName(schema) },
  ])
  const all = new Map([...converters, ...reflectedBody(declared.body)])
  return { converters: all, isComplete: true, isOverridden: declared.isOverridden }
}

function reflectedParameter(name: string): ParameterModel {
  return { name, place: undefined, shape: undefined }
}

function reflectedBody(parameter: BodyParameter | undefined): [string, ConverterModel][] {
  if (parameter === undefined) return []
  const { schema, options } = parameter.declaration
  const form = options.form === undefined ? undefined : { name: options.form, place: undefined }
  const body = { form, lists: [], schema: undefined }
  return [[parameter.name, { shape: ANY, place: undefined, text: `body(${schemaName(schema)})`, body }]]
}
