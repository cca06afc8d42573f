/** The methods of a service, cached by class. */
import type { Signature } from '../../xmlrpc/types.ts'
import { type ControllerClass, inspectMethods } from '../metadata.ts'
import { type Arity, arityOf } from '../rpc/arity.ts'
import { MAX_METHOD_NAME } from '../rpc/method-name.ts'
import { inheritedStatic } from '../statics.ts'
import { helpOf } from './help.ts'
import { signaturesOf } from './signatures.ts'

/** One method of a service. */
export interface ServiceMethod {
  /** Name of the method in the class, with underscores. */
  readonly name: string
  readonly method: (...params: unknown[]) => unknown
  /** Declared signatures. If there are none, calls are checked against the arity. */
  readonly signatures: readonly Signature[]
  readonly arity: Arity
  readonly help: string
}

/** The methods of a class and their public names. */
export interface Service {
  /** Methods by their names in the class. */
  readonly methods: ReadonlyMap<string, ServiceMethod>
  /** Public names from `static publicNames`, by method. */
  readonly publicNames: ReadonlyMap<string, string>
  /** Methods by those public names. */
  readonly handlers: ReadonlyMap<string, string>
}

/** System methods of every service. */
const INTROSPECTION = ['system_listMethods', 'system_methodHelp', 'system_methodSignature'] as const

/** System methods of a service with `static multicall = true`. */
const BATCHES = ['system_getCapabilities', 'system_multicall'] as const

const services = new WeakMap<ControllerClass, Service>()

/**
 * Returns the service of a class: its public methods and the system methods of the framework.
 *
 * @throws TypeError - the class declares invalid signatures or public names.
 */
export function serviceOf(controllerClass: ControllerClass & { readonly multicall: boolean }): Service {
  let service = services.get(controllerClass)
  if (service === undefined) {
    service = makeService(controllerClass, controllerClass.multicall)
    services.set(controllerClass, service)
  }
  return service
}

function makeService(controllerClass: ControllerClass, multicall: boolean): Service {
  const methods = new Map<string, ServiceMethod>()
  const publicNames = new Map<string, string>()
  const handlers = new Map<string, string>()
  for (const [name, method] of inspectMethods(controllerClass).actions) {
    if (!isMethod(method)) continue
    methods.set(name, makeMethod(controllerClass, name, method))
    const stated = inheritedStatic(controllerClass, 'publicNames', name)
    if (stated === undefined) continue
    const publicName = checkPublicName(controllerClass, name, stated)
    const other = handlers.get(publicName)
    if (other !== undefined) {
      throw new TypeError(
        `${controllerClass.name}.publicNames gives ${publicName} to both ${other} and ${name}`,
      )
    }
    publicNames.set(name, publicName)
    handlers.set(publicName, name)
  }
  checkTranslated(controllerClass, methods, publicNames, handlers)
  for (const name of multicall ? [...INTROSPECTION, ...BATCHES] : INTROSPECTION) {
    const method: unknown = Reflect.get(controllerClass.prototype, name)
    if (isMethod(method)) methods.set(name, makeMethod(controllerClass, name, method))
  }
  return { methods, publicNames, handlers }
}

function makeMethod(
  controllerClass: ControllerClass,
  name: string,
  method: ServiceMethod['method'],
): ServiceMethod {
  return {
    name,
    method,
    signatures: signaturesOf(controllerClass, name, method),
    arity: arityOf(method),
    get help() {
      return helpOf(controllerClass, name, method)
    },
  }
}

/** Throws if a declared public name hides a method that has the same public name by translation. */
function checkTranslated(
  controllerClass: ControllerClass,
  methods: Service['methods'],
  publicNames: Service['publicNames'],
  handlers: Service['handlers'],
): void {
  for (const name of methods.keys()) {
    const hiding = publicNames.has(name) ? undefined : handlers.get(publicNameOf(name))
    if (hiding === undefined) continue
    throw new TypeError(
      `${controllerClass.name}.publicNames gives ${hiding} the name ${publicNameOf(name)}, which ${name} has`,
    )
  }
}

/** Returns the default public name of a method, with dots for underscores. */
export function publicNameOf(name: string): string {
  return name.replaceAll('_', '.')
}

/** Characters that XML-RPC allows in a method name. */
const PUBLIC_NAME = /^[\w.:/]+$/

function checkPublicName(controllerClass: ControllerClass, name: string, stated: unknown): string {
  if (typeof stated === 'string' && isPublicName(stated)) return stated
  throw new TypeError(
    `${controllerClass.name}.publicNames.${name} must be a name of at most ${MAX_METHOD_NAME} letters, digits, "_", ".", ":" and "/" that does not begin with "system."`,
  )
}

function isPublicName(name: string): boolean {
  return name.length <= MAX_METHOD_NAME && PUBLIC_NAME.test(name) && !name.startsWith('system.')
}

function isMethod(value: unknown): value is ServiceMethod['method'] {
  return typeof value === 'function'
}
