/** The methods that a class publishes: made once per class, then only looked up. */
import type { Signature } from '../../xmlrpc/types.ts'
import { type ControllerClass, inspectMethods } from '../metadata.ts'
import { type Arity, arityOf } from '../rpc/arity.ts'
import { MAX_METHOD_NAME } from '../rpc/method-name.ts'
import { inheritedStatic } from '../statics.ts'
import { helpOf } from './help.ts'
import { signaturesOf } from './signatures.ts'

/** One method of a service. */
export interface ServiceMethod {
  /** The handler's own name, with underscores. */
  readonly name: string
  readonly method: (...params: unknown[]) => unknown
  /** The valid signatures; none when nothing is declared, and then the arity counts. */
  readonly signatures: readonly Signature[]
  readonly arity: Arity
  readonly help: string
}

/** What a class publishes. */
export interface Service {
  /** The methods by the names of their handlers. */
  readonly methods: ReadonlyMap<string, ServiceMethod>
  /** The public names that `static publicNames` states, by handler. */
  readonly publicNames: ReadonlyMap<string, string>
  /** The handlers by those public names. */
  readonly handlers: ReadonlyMap<string, string>
}

/** What every service has. */
const INTROSPECTION = ['system_listMethods', 'system_methodHelp', 'system_methodSignature'] as const

/** What a service has beside that when its class turns it on. */
const BATCHES = ['system_getCapabilities', 'system_multicall'] as const

const services = new WeakMap<ControllerClass, Service>()

/**
 * The service of a class: its own public methods and the framework's `system_` ones.
 *
 * @throws TypeError when signatures or public names that the class states are not what they must be.
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

/** A stated name hides the method whose own name is published just so. */
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
      `${controllerClass.name}.publicNames gives ${hiding} the name ${publicNameOf(name)}, which is that of ${name}`,
    )
  }
}

/** The public name of a method for which none is stated: dots for its underscores. */
export function publicNameOf(name: string): string {
  return name.replaceAll('_', '.')
}

/** The characters that XML-RPC allows in the name of a method. */
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
