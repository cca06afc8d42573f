/** Methods of controllers, bound to their declarations. */

import { type ControllerClass, isMethod } from './class-methods.ts'
import { ParameterNamesError } from './controller-errors.ts'
import type { BodyParameter, Converters, DeclaredArguments, DeclaredResult } from './declarations.ts'
import { looksRenamed, type Parameters, parametersOf, statedParameters } from './parameters.ts'
import { REQUEST_ARGUMENTS } from './supplied-arguments.ts'

/** Argument values by parameter name. Has no prototype. */
export type NamedArguments = Record<string, unknown>

/** A method and the parameters by which it receives its arguments. */
export interface MethodBinding {
  readonly method: (...args: unknown[]) => unknown
  readonly parameters: Parameters
  /**
   * Converters that `static args` declares, by argument name, without `body()`. Undefined if it declares no converter
   * and no body.
   */
  readonly converters: Converters | undefined
  /** The argument that `static args` declares with `body()`. */
  readonly body: BodyParameter | undefined
  /** Declarations of the class about the result. Undefined if there are none. */
  readonly result: DeclaredResult | undefined
  /** Class and method for messages: `UsersController.show`. */
  readonly label: string
  /** Whether it is `__before__` or `__after__`. */
  readonly isHook: boolean
  /**
   * The sources of its arguments: the match only, all that `_get_method_args` returns, or in addition what `static
   * args` declares.
   */
  readonly takes: 'match' | 'request' | 'declared'
  /** Whether the match supplies every argument that is not declared. */
  readonly usesMatchOnly: boolean
  /** Whether it has the parameter `format`. */
  readonly takesFormat: boolean
  /** Whether it has the parameter `signal`, without a converter. */
  readonly takesSignal: boolean
  /** Whether `static args` states the names of the parameters, so that no build renames them. */
  readonly isStated: boolean
  /** Whether the parameter names have been compared with the arguments of a request, see `invoke`. */
  checked: boolean
}

/**
 * Binds one method of a class.
 *
 * @param declared - its entry in `static args`.
 * @param result - its entries in `static results` and the like.
 * @throws ParameterNamesError - the parameters cannot be read from the source.
 * @throws TypeError - `static args` has a converter for an argument that the method does not take.
 */
export function bindMethod(
  controllerClass: ControllerClass,
  name: string,
  method: unknown,
  declared: DeclaredArguments | undefined,
  result: DeclaredResult | undefined,
): MethodBinding {
  const className = controllerClass.name || 'Controller'
  const label = `${className}.${name}`
  if (!isMethod(method)) throw new TypeError(`${label} is not a method`)
  const parameters = declared?.kind === 'names' ? statedParameters(declared.names) : read(label, method)
  const converters = declared?.kind === 'converters' ? declared.converters : undefined
  if (declared?.kind === 'converters') checkDeclared(className, name, parameters, declared)
  const takesAll = parameters.kind === 'destructured' && parameters.rest
  const usesMatchOnly =
    !takesAll &&
    hasDefaultArguments(controllerClass) &&
    !parameters.names.some(({ name }) => REQUEST_ARGUMENTS.has(name))
  return {
    method,
    parameters,
    converters,
    body: declared?.kind === 'converters' ? declared.body : undefined,
    result,
    label,
    takes: declared?.kind === 'converters' ? 'declared' : usesMatchOnly ? 'match' : 'request',
    usesMatchOnly,
    takesFormat: takes(parameters, 'format'),
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

/**
 * Returns true if neither the class nor the framework's class that it extends supplies arguments beside those of
 * every request.
 */
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

function read(label: string, method: object): Parameters {
  try {
    return parametersOf(method)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ParameterNamesError(label, `its parameters cannot be read: ${error.message}`, { cause: error })
  }
}
