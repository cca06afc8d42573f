/**
 * Metadata of controller classes: their actions and hooks with their parameters. Read once per class.
 *
 * An action is a method written in the application's own classes, below the framework's. Members of the framework's
 * base classes and of `Object.prototype` are never actions, not even where an application overrides them.
 */

import type { ControllerClass } from './controller-class.ts'
import { ParameterNamesError, ReservedMemberError } from './controller-errors.ts'
import { type DeclaredArguments, declaredArguments, declaresConverters } from './declared-arguments.ts'
import { checkDeclarations, type DeclaredResult, declaredResult } from './declared-results.ts'
import type { ControllerMetadata, MethodBinding } from './method-binding.ts'
import { looksRenamed, type Parameters, parametersOf, statedParameters } from './parameters.ts'
import { REQUEST_ARGUMENTS } from './supplied-arguments.ts'
import { DeclarationError, declarationFaults, type IsTemplate, toolNameFaults } from './vocabulary.ts'

const known = new WeakMap<ControllerClass, ControllerMetadata>()

/**
 * Returns the metadata of a class. The parameters of an action are read when it is first called, so that one unreadable
 * method does not disable the others.
 *
 * @throws ReservedMemberError - a method replaces an accessor of the base class, such as `session`.
 * @throws DeclarationError - see {@link requireRead}.
 * @throws TypeError - a static record, such as `args` or `results`, is invalid or names an action that does not exist.
 */
export function metadataOf(controllerClass: ControllerClass): ControllerMetadata {
  let metadata = known.get(controllerClass)
  if (metadata === undefined) {
    metadata = readMetadata(controllerClass)
    known.set(controllerClass, metadata)
  }
  return metadata
}

function readMetadata(controllerClass: ControllerClass): ControllerMetadata {
  const className = controllerClass.name || 'Controller'
  const { actions, methods, base } = inspectMethods(controllerClass)
  requireRead(controllerClass)
  const reserved = accessorsOf(base).find((name) => methods.has(name))
  if (reserved !== undefined) throw new ReservedMemberError(className, reserved)
  checkDeclarations(controllerClass, actions, (name) => isReserved(base, name))
  const bindings = new Map<string, MethodBinding>()

  function bind(name: string, method: unknown): MethodBinding {
    const result = actions.has(name) ? declaredResult(controllerClass, name) : undefined
    const bound = bindMethod(controllerClass, name, method, declaredArguments(controllerClass, name), result)
    bindings.set(name, bound)
    return bound
  }

  function hook(name: '__before__' | '__after__'): MethodBinding | undefined {
    const method: unknown = Reflect.get(controllerClass.prototype, name)
    return method === undefined ? undefined : bind(name, method)
  }

  return {
    name: className,
    hasConverters: declaresConverters(controllerClass),
    before: hook('__before__'),
    after: hook('__after__'),
    isReserved: (name) => isReserved(base, name),
    actionNames: [...actions.keys()].sort(),
    defaultMethodArguments: base === null ? undefined : Reflect.get(base, '_get_method_args'),
    action(name) {
      const methodName = name.includes('-') ? name.replaceAll('-', '_') : name
      const method = actions.get(methodName)
      return method === undefined ? undefined : (bindings.get(methodName) ?? bind(methodName, method))
    },
    method(name) {
      const method = methods.get(name)
      return method === undefined ? undefined : (bindings.get(name) ?? bind(name, method))
    },
  }
}

/**
 * Checks that the framework reads everything that a class declares.
 *
 * @throws DeclarationError - a static property is nearly one that the framework reads, or looks like one; or `static args` has a
 *   schema of an object without `body()`.
 */
export function requireRead(controllerClass: ControllerClass, isTemplate: IsTemplate = () => false): void {
  const faults = declarationFaults({ controllerClass, ...inspectMethods(controllerClass) }, isTemplate)
  if (faults.length > 0) throw new DeclarationError(controllerClass, faults)
}

/**
 * Checks the names that a class gives to tools, resources and prompts.
 *
 * @param controller - name of the controller in routes.
 * @throws DeclarationError - clients of language models refuse one.
 */
export function requireToolNames(controllerClass: ControllerClass, controller: string): void {
  const faults = toolNameFaults({ controllerClass, ...inspectMethods(controllerClass) }, controller)
  if (faults.length > 0) throw new DeclarationError(controllerClass, faults)
}

/**
 * Binds one method of a class.
 *
 * @param declared - its entry in `static args`.
 * @param result - its entries in `static results` and the like.
 * @throws ParameterNamesError - the parameters cannot be read from the source.
 * @throws TypeError - `static args` has a converter for an argument that the method does not take.
 */
function bindMethod(
  controllerClass: ControllerClass,
  name: string,
  method: unknown,
  declared: DeclaredArguments | undefined,
  result: DeclaredResult | undefined,
): MethodBinding {
  const className = controllerClass.name || 'Controller'
  const label = `${className}.${name}`
  if (!isCallable(method)) throw new TypeError(`${label} is not a method`)
  const parameters = declared?.kind === 'names' ? statedParameters(declared.names) : read(label, method)
  const converters = declared?.kind === 'converters' ? declared.converters : undefined
  if (declared?.kind === 'converters') checkDeclared(className, name, parameters, declared)
  const takesAll = parameters.kind === 'destructured' && parameters.rest
  const usesMatchOnly =
    !takesAll &&
    hasDefaultArguments(controllerClass) &&
    !parameters.names.some(({ name }) => REQUEST_ARGUMENTS.has(name))
  const takesFormat = takes(parameters, 'format')
  return {
    method,
    parameters,
    converters,
    body: declared?.kind === 'converters' ? declared.body : undefined,
    result,
    label,
    takes: declared?.kind === 'converters' ? 'declared' : usesMatchOnly ? 'match' : 'request',
    usesMatchOnly,
    takesFormat,
    isNegotiable: takesFormat || result?.page !== undefined,
    takesSignal: parameters.names.some(({ name }) => name === 'signal') && converters?.has('signal') !== true,
    isHook: name === '__before__' || name === '__after__',
    isStated: declared?.kind === 'names',
    checked: false,
  }
}

/**
 * @throws ParameterNamesError - the method takes a name that looks renamed instead of one that has a converter.
 * @throws TypeError - there is a converter for an argument that the method does not take.
 */
function checkDeclared(
  className: string,
  method: string,
  parameters: Parameters,
  { converters, body, isOverridden }: Extract<DeclaredArguments, { kind: 'converters' }>,
): void {
  const declared = new Set([...converters.keys(), ...(body === undefined ? [] : [body.name])])
  const unknown = [...declared].find((name) => !takes(parameters, name))
  if (unknown === undefined) return
  const names = parameters.names.map(({ name }) => name)
  if (parameters.kind === 'positional' && names.some((name) => looksRenamed(name) && !declared.has(name))) {
    throw new ParameterNamesError(
      `${className}.${method}`,
      `its parameters (${names.join(', ')}) look renamed by a build: static args has a converter for "${unknown}"`,
    )
  }
  if (isOverridden) return
  throw new TypeError(
    `${className}.args.${method} declares "${unknown}", which ${method}(${names.join(', ')}) does not take. Correct the name, or add the parameter.`,
  )
}

/** Returns true if neither the class nor the framework's class that it extends supplies arguments beside those of every request. */
function hasDefaultArguments({ prototype }: ControllerClass): boolean {
  let root: object = prototype
  for (let next = Object.getPrototypeOf(root); next !== null && next !== Object.prototype; ) {
    root = next
    next = Object.getPrototypeOf(root)
  }
  return Reflect.get(prototype, '_get_method_args') === Reflect.get(root, '_get_method_args')
}

/** Whether a method receives the argument `name`. */
export function takes(parameters: Parameters, name: string): boolean {
  if (parameters.kind === 'destructured' && parameters.rest) return true
  return parameters.names.some((parameter) => parameter.name === name)
}

function isCallable(method: unknown): method is MethodBinding['method'] {
  return typeof method === 'function'
}

function read(label: string, method: object): Parameters {
  try {
    return parametersOf(method)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ParameterNamesError(label, `its parameters cannot be read: ${error.message}`, { cause: error })
  }
}

/** Methods of a controller class. */
export interface ControllerMethods {
  /** Public methods, by name. Lookup in this map never reaches a prototype. */
  readonly actions: ReadonlyMap<string, unknown>
  /** All methods of the application's own classes, private ones included. */
  readonly methods: ReadonlyMap<string, unknown>
  /** Prototype of the framework's class that the application's classes extend. */
  readonly base: object | null
}

const frameworkClasses = new WeakSet<object>()

/** Marks a class as the framework's own: neither it nor what it inherits from has actions. */
export function defineFrameworkClass(frameworkClass: ControllerClass): void {
  frameworkClasses.add(frameworkClass)
}

/** Reads the methods of a class from its property descriptors, so that no getter runs. Its own hide inherited ones. */
export function inspectMethods(controllerClass: ControllerClass): ControllerMethods {
  const methods = new Map<string, unknown>()
  const hidden = new Set<string>(['constructor'])
  let prototype: object | null = controllerClass.prototype
  while (prototype !== null && !isFrameworks(prototype)) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (methods.has(name) || hidden.has(name)) continue
      if (typeof descriptor.value === 'function' && !isClass(descriptor.value))
        methods.set(name, descriptor.value)
      else hidden.add(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  const base = prototype
  const isAction = (name: string): boolean => !isPrivate(name) && !isReserved(base, name)
  return { actions: new Map([...methods].filter(([name]) => isAction(name))), methods, base }
}

function isReserved(base: object | null, name: string): boolean {
  return !isPrivate(name) && base !== null && name in base
}

/** Returns the accessors of a base class, such as `session`. Methods of an application must not replace the framework's. */
export function accessorsOf(base: object | null): string[] {
  if (base === null || base === Object.prototype) return []
  const own = Object.entries(Object.getOwnPropertyDescriptors(base)).filter(
    ([, { get }]) => get !== undefined,
  )
  return [...own.map(([name]) => name), ...accessorsOf(Object.getPrototypeOf(base))]
}

/** Matches names that a leading underscore or dash keeps from URLs. */
export const PRIVATE = /^[_-]/

/** Returns true for a name that is kept from URLs. */
export function isPrivate(name: string): boolean {
  return PRIVATE.test(name)
}

function isFrameworks(prototype: object): boolean {
  return prototype === Object.prototype || frameworkClasses.has(prototype.constructor)
}

/** Returns true for a class, whose property `prototype` cannot be assigned, and false for any other function. */
export function isClass(value: object): boolean {
  return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
}
