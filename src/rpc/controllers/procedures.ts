/** The procedures of a class, read once per class. */

import { oncePer } from '../../base/once-per.ts'
import { type ControllerClass, inspectMethods, isMethod, isPrivate } from '../../controllers/class-methods.ts'
import { ParameterNamesError, ReservedMemberError } from '../../controllers/controller-errors.ts'
import { declaredArguments } from '../../controllers/declarations.ts'
import { describeController } from '../../controllers/describe.ts'
import { helpOf } from '../../controllers/doc-comment.ts'
import { argumentReads, readFunction } from '../../controllers/function-source.ts'
import type { MethodBinding } from '../../controllers/method-binding.ts'
import { originalMethod, type Parameters } from '../../controllers/parameters.ts'
import { inheritedEntry, inheritedStatic } from '../../controllers/statics.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import type { Signature } from '../xmlrpc/signature.ts'
import { SEPARATOR, type ServiceClass } from './service-controller.ts'
import { ownSignature, returnsOf, signaturesOf } from './signatures.ts'
import { ANY, type DeclaredSignature, type DeclaredType } from './type-table.ts'

/** One procedure. */
export interface Procedure {
  /** Name of the method in the class, with underscores. */
  readonly name: string
  readonly method: (...args: unknown[]) => unknown
  /** Declared signatures. If there are none, calls are checked against the arity. */
  readonly signatures: readonly DeclaredSignature[]
  /** Declared type of the result, if there are no signatures. */
  readonly returns?: DeclaredType | undefined
  readonly arity: Arity
  /** Parameters of the method. Undefined if they cannot be read, so that only calls by position are possible. */
  readonly parameters: Parameters | undefined
  /** Documentation from the doc comment or the attribute `help`. Empty if there is none. */
  readonly help: string
}

/** The procedures of a class and their public names. */
export interface Service {
  /** Procedures by the names of their methods. */
  readonly procedures: ReadonlyMap<string, Procedure>
  /** Methods of the framework that are procedures of some faces, by name: `system_listMethods`. */
  readonly system: ReadonlyMap<string, Procedure>
  /** Public names from `static publicNames`, by method. */
  readonly publicNames: ReadonlyMap<string, string>
  /** Methods by their public names. */
  readonly handlers: ReadonlyMap<string, string>
}

/**
 * Maximum length of the name of a procedure, in UTF-16 code units. A longer name belongs to no procedure and is
 * not looked up: translating it takes time in proportion to its length.
 */
const MAX_METHOD_NAME = 255

/**
 * Methods of the framework that are procedures of XML-RPC, with their signatures and their help, which are not read
 * from comments because a build may strip them. `system_multicall` is one only if `static multicall` is true.
 */
export const SYSTEM_METHODS: Readonly<Record<string, { signature: Signature[]; help: string }>> = {
  system_listMethods: {
    signature: [['array']],
    help: 'Returns the names of the methods of this service.',
  },
  system_methodHelp: {
    signature: [['string', 'string']],
    help: 'Returns the documentation of a method, or an empty string.',
  },
  system_methodSignature: {
    signature: [
      ['array', 'string'],
      ['string', 'string'],
    ],
    help: `Returns the signatures of a method: an array of arrays of the type of the result and the types of the parameters.
Returns 'undef' if the method declares none.`,
  },
  system_multicall: {
    signature: [['array', 'array']],
    help: `Calls several methods. Takes an array of structs with methodName and the array params. Returns an array with one
entry for each call: an array of the result, or the struct of a fault.`,
  },
}

/**
 * Returns the service of a class.
 *
 * @throws TypeError - the class declares invalid signatures, public names, arguments or results.
 * @throws ParameterNamesError - the parameters of a method with declared arguments cannot be read.
 * @throws ReservedMemberError - a method has the name of a member of the base class, so that it could not be called.
 */
export const serviceOf = oncePer(readService)

/** Translates public names of procedures. */
interface MethodNames {
  _find_method_name(name: string): string | undefined
}

/** Returns the procedure with a public name, or the system method: `system.listMethods`. */
export function findProcedure(
  names: MethodNames,
  { procedures, system }: Service,
  name: string,
): Procedure | undefined {
  const method = name.length > MAX_METHOD_NAME ? undefined : names._find_method_name(name)
  return method === undefined ? undefined : (procedures.get(method) ?? system.get(method))
}

function readService(controllerClass: ServiceClass): Service {
  const procedures = new Map<string, Procedure>()
  const { actions, methods } = inspectMethods(controllerClass)
  const reserved = [...methods.keys()].find(
    (name) => !actions.has(name) && !isPrivate(name) && !Object.hasOwn(SYSTEM_METHODS, name),
  )
  if (reserved !== undefined) throw new ReservedMemberError(controllerClass.name, reserved)
  for (const [name, method] of actions) {
    if (isMethod(method)) procedures.set(name, makeProcedure(controllerClass, name, method))
  }
  const system = new Map<string, Procedure>()
  for (const name of Object.keys(SYSTEM_METHODS)) {
    if (name === 'system_multicall' && !controllerClass.multicall) continue
    const method: unknown = Reflect.get(controllerClass.prototype, name)
    if (isMethod(method)) system.set(name, makeProcedure(controllerClass, name, method))
  }
  return { procedures, system, ...readPublicNames(controllerClass, [...procedures.keys()]) }
}

function makeProcedure(controllerClass: ControllerClass, name: string, method: Procedure['method']): Procedure {
  const stated = signaturesOf(controllerClass, name, method)
  const own = ownDeclaration(controllerClass, name, stated.length > 0)
  const arity = arityOf(method)
  // A method of which only the result is declared takes any values.
  const isTyped = own !== undefined && (own.converters !== undefined || arity.most === 0)
  return {
    name,
    method,
    signatures: isTyped ? [ownSignature(own)] : stated,
    returns: own && returnsOf(own),
    arity,
    get parameters() {
      return own === undefined ? readParameters(controllerClass, name) : requiredBySchemas(own)
    },
    get help() {
      return helpOf(controllerClass, name, method)
    },
  }
}

/**
 * Returns the method of a procedure for which `static args` has schemas, or `static results` an entry.
 *
 * @throws TypeError - it has signatures too, or an argument is a `body()`.
 * @throws ParameterNamesError - its parameters cannot be read.
 */
function ownDeclaration(
  controllerClass: ControllerClass,
  name: string,
  hasSignatures: boolean,
): MethodBinding | undefined {
  const hasArguments = declaredArguments(controllerClass, name)?.kind === 'converters'
  const record = hasArguments ? 'args' : 'results'
  if (inheritedEntry(controllerClass, record, name) === undefined) return undefined
  const label = `${controllerClass.name}.${record}.${name}`
  if (hasSignatures) {
    throw new TypeError(`${label}: ${name}() has a signature too. Keep one of them.`)
  }
  const binding = describeController(controllerClass).action(name)
  if (binding?.body === undefined) return binding
  throw new TypeError(
    `${label} has body() for "${binding.body.name}", but a call is the body of its request. Write the schema itself.`,
  )
}

/** Returns the parameters of a method. One whose schema accepts undefined need not be sent. */
function requiredBySchemas({ parameters, converters }: MethodBinding): Parameters {
  const names = parameters.names.map(({ name, required }) => {
    const schema = converters?.get(name)
    return { name, required: required && !(schema !== undefined && acceptsNothing(schema)) }
  })
  return { ...parameters, names }
}

function readParameters(controllerClass: ControllerClass, name: string): Parameters | undefined {
  try {
    return describeController(controllerClass).action(name)?.parameters
  } catch (error) {
    if (error instanceof ParameterNamesError) return undefined
    throw error
  }
}

/** Returns the default public name of a method. */
export function publicNameOf(name: string, separator: string): string {
  return name.replaceAll('_', separator)
}

/** Reads `static publicNames`. @throws TypeError - a name is malformed, or two methods have it. */
function readPublicNames(
  controllerClass: ServiceClass,
  methods: readonly string[],
): Pick<Service, 'publicNames' | 'handlers'> {
  const publicNames = new Map<string, string>()
  const handlers = new Map<string, string>()
  const label = `${controllerClass.name}.publicNames`
  for (const method of methods) {
    const stated = inheritedStatic(controllerClass, 'publicNames', method)
    if (stated !== undefined && !isPublicName(stated)) {
      throw new TypeError(
        `${label}.${method} must be a name of at most ${MAX_METHOD_NAME} letters, digits, "_", ".", ":" and "/" that does not begin with "system."`,
      )
    }
    if (stated !== undefined) publicNames.set(method, stated)
    const name = stated ?? publicNameOf(method, controllerClass[SEPARATOR])
    const other = handlers.get(name)
    if (other !== undefined) throw new TypeError(`${label} gives ${name} to both ${other} and ${method}`)
    handlers.set(name, method)
  }
  return { publicNames, handlers }
}

/** Characters that XML-RPC allows in a method name. */
const PUBLIC_NAME = /^[\w.:/]+$/

function isPublicName(name: unknown): name is string {
  return (
    typeof name === 'string' && name.length <= MAX_METHOD_NAME && PUBLIC_NAME.test(name) && !name.startsWith('system.')
  )
}

/** Smallest and largest number of arguments that a method accepts. */
interface Arity {
  readonly least: number
  readonly most: number
}

/**
 * Reads the arity of a method. Parameters before the first default are required. A native or bound function has no
 * source, so it accepts any larger number.
 */
function arityOf(method: object): Arity {
  const original = originalMethod(method)
  const least = typeof original === 'function' ? original.length : 0
  const read = readFunction(String(original))
  if (read === undefined || read.parameters.at(-1)?.[0]?.text === '...') {
    return { least, most: Number.POSITIVE_INFINITY }
  }
  return { least, most: Math.max(read.parameters.length, ...argumentReads(read).map((index) => index + 1)) }
}

/** Formats an arity for messages: `2 parameters`, `1 to 2 parameters`, `at least 1 parameter`. */
export function formatArity({ least, most }: Arity): string {
  const count = (n: number): string => `${n} parameter${n === 1 ? '' : 's'}`
  if (least === most) return most === 0 ? 'no parameters' : count(most)
  return most === Number.POSITIVE_INFINITY ? `at least ${count(least)}` : `${least} to ${most} parameters`
}

/** Returns true if a call may leave out a parameter of a signature. */
export function mayOmit({ parameters }: Procedure, index: number, type: DeclaredType): boolean {
  if (parameters?.kind === 'positional' && parameters.names[index]?.required === false) return true
  return typeof type !== 'string' && type !== ANY && acceptsNothing(type)
}

/** Returns the smallest number of arguments of each signature: only the last parameters may be left out by position. */
export const leastArguments = oncePer((procedure: Procedure): readonly number[] =>
  procedure.signatures.map(
    ([, ...types]) => types.findLastIndex((type, index) => !mayOmit(procedure, index, type)) + 1,
  ),
)
