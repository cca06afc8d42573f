/**
 * Controllers as their loaded classes describe them, for classes whose source is not part of the project.
 *
 * @module
 */

import { inspectMethods } from '../../controllers/class-methods.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { declaredArguments } from '../../controllers/declarations.ts'
import { parametersOf } from '../../controllers/parameters.ts'
import { inheritedStatic } from '../../controllers/statics.ts'
import { WSGIController } from '../../controllers/wsgi-controller.ts'
import { schemaName } from '../../http/converters/converter.ts'
import { SERVICES } from './class-chain.ts'
import {
  type ArgumentDeclaration,
  type ControllerModel,
  type ConverterModel,
  type MethodModel,
  type Place,
  UNDECLARED,
} from './model.ts'
import { ANY } from './shapes.ts'

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
  const faces = facesOf(controllerClass, base)
  const models = [...methods].map(([method, value]): [string, MethodModel] => [
    method,
    { name: method, label: `${className}.${method}`, place, ...reflectedFunction(value) },
  ])
  return {
    name,
    className,
    place,
    isService: faces !== undefined,
    faces: faces ?? [],
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

/** Returns the faces of a service, which may extend a class of another copy of this package; undefined for other classes. */
function facesOf(controllerClass: ControllerClass, base: object | null): readonly string[] | undefined {
  for (let prototype = base; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const faces = SERVICES.get(prototype.constructor.name)
    if (faces === undefined) continue
    const declared: unknown = Reflect.get(controllerClass, 'faces')
    return Array.isArray(declared) ? declared.filter((face) => typeof face === 'string') : faces
  }
  return undefined
}

/** Returns the parameters of a method. If they cannot be read, as the first call reports, it may take any. */
function reflectedFunction(method: unknown): Pick<MethodModel, 'loaded' | 'parameters' | 'takesAll'> {
  if (typeof method !== 'function') return { parameters: [], takesAll: true }
  try {
    const parameters = parametersOf(method)
    const takesAll = parameters.kind === 'destructured' && parameters.rest
    return { loaded: method, parameters: parameters.names.map(({ name }) => ({ name })), takesAll }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { loaded: method, parameters: [], takesAll: true }
  }
}

function reflectedArguments(controllerClass: ControllerClass, method: string): ArgumentDeclaration {
  const declared = declaredArguments(controllerClass, method)
  if (declared === undefined) return UNDECLARED
  if (declared.kind === 'names') return { ...UNDECLARED, names: declared.names.map((name) => ({ name })) }
  const converters = new Map<string, ConverterModel>()
  for (const [name, schema] of declared.converters) {
    converters.set(name, { shape: ANY, text: schemaName(schema) })
  }
  if (declared.body !== undefined) {
    const { schema, options } = declared.body.declaration
    const form = options.form === undefined ? undefined : { name: options.form }
    const body = { form, lists: [] }
    converters.set(declared.body.name, { shape: ANY, text: `body(${schemaName(schema)})`, body })
  }
  return { converters, isComplete: true, isOverridden: declared.isOverridden }
}
