/**
 * Arguments by parameter name: binds the parameters of a method to the values that a request offers.
 *
 * Parameters are read once per class and method. A request only looks the values up.
 */
import { ParameterNamesError } from './errors.ts'
import { type Parameter, type Parameters, parametersOf, statedParameters } from './parameters.ts'

/** Argument values by parameter name. Has no prototype. */
export type NamedArguments = Record<string, unknown>

/** A method and the parameters by which it receives its arguments. */
export interface MethodBinding {
  readonly method: (...args: unknown[]) => unknown
  readonly parameters: Parameters
  /** Class and method for messages: `UsersController.show`. */
  readonly label: string
  /** Whether the match supplies every argument, so that no other arguments need to be collected. */
  readonly usesMatchOnly: boolean
  /** Whether it has the parameter `format`. */
  readonly takesFormat: boolean
  /** Whether the parameter names have been compared with the arguments of a request, see {@link checkNames}. */
  checked: boolean
}

/** Names of arguments that the match does not supply. */
const BEYOND_MATCH: ReadonlySet<string> = new Set(['environ', 'start_response', 'error'])

/**
 * Binds one method of a class.
 *
 * @param stated - parameter names declared in `static args`.
 * @throws ParameterNamesError - the parameters cannot be read from the source.
 */
export function bindMethod(
  label: string,
  method: unknown,
  stated: readonly string[] | undefined,
): MethodBinding {
  if (!isCallable(method)) throw new TypeError(`${label} is not a method`)
  const parameters = stated === undefined ? read(label, method) : statedParameters(stated)
  const takesAll = parameters.kind === 'destructured' && parameters.rest
  return {
    method,
    parameters,
    label,
    usesMatchOnly: !takesAll && !parameters.names.some(({ name }) => BEYOND_MATCH.has(name)),
    takesFormat: takes(parameters, 'format'),
    checked: stated !== undefined,
  }
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

/** Calls the method on `target`. Arguments that are missing or null are `undefined`, so that defaults apply. */
export function invoke(binding: MethodBinding, target: object, offered: NamedArguments): unknown {
  if (!binding.checked) checkNames(binding, offered)
  const { method, parameters } = binding
  const { names } = parameters
  if (parameters.kind === 'destructured') {
    return method.call(target, parameters.rest ? present(offered) : picked(names, offered))
  }
  // Separate cases for the usual counts, because spreading an array costs more than the call itself.
  switch (names.length) {
    case 0:
      return method.call(target)
    case 1:
      return method.call(target, value(names, 0, offered))
    case 2:
      return method.call(target, value(names, 0, offered), value(names, 1, offered))
    default:
      return method.apply(
        target,
        names.map((_, index) => value(names, index, offered)),
      )
  }
}

function value(names: readonly Parameter[], index: number, offered: NamedArguments): unknown {
  return offered[(names[index] as Parameter).name] ?? undefined
}

function picked(names: readonly Parameter[], offered: NamedArguments): NamedArguments {
  const object: NamedArguments = Object.create(null)
  for (const { name } of names) object[name] = offered[name] ?? undefined
  return object
}

function present(offered: NamedArguments): NamedArguments {
  const object: NamedArguments = Object.create(null)
  for (const name in offered) object[name] = offered[name] ?? undefined
  return object
}

/**
 * Compares the parameter names with the arguments of a request, until one request has supplied them all. A bundler
 * that renamed the parameters would otherwise leave them undefined.
 *
 * @throws ParameterNamesError - the names look renamed.
 */
function checkNames(binding: MethodBinding, offered: NamedArguments): void {
  const { names, kind } = binding.parameters
  if (kind === 'destructured' || names.length === 0) {
    binding.checked = true
    return
  }
  const missing = names.filter(({ name }) => !(name in offered))
  for (const { name } of missing) {
    const original = /^(.+?)\$?\d+$/.exec(name)?.[1]
    if (original !== undefined && original in offered) {
      throw new ParameterNamesError(
        binding.label,
        `its parameter "${name}" looks renamed: the request offers "${original}"`,
      )
    }
  }
  const required = missing.filter((parameter) => parameter.required)
  if (
    required.length > 0 &&
    names.every(({ name }) => name.length === 1) &&
    missing.length === names.length
  ) {
    const shown = names.map(({ name }) => name).join(', ')
    throw new ParameterNamesError(
      binding.label,
      `its parameters (${shown}) look minified: the request offers none of them`,
    )
  }
  // A name that this request did not supply may be a renamed one, which a later request can reveal.
  binding.checked = missing.length === 0
}
