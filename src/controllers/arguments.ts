/**
 * Arguments by parameter name: what a method asks for, fetched from what a request offers.
 *
 * A plan is made once per class and method; a request only walks it.
 */
import { ParameterNamesError } from './errors.ts'
import { type Parameter, type Parameters, parametersOf, statedParameters } from './parameters.ts'

/** What a request offers to actions and hooks, by name. Prototype-free. */
export type Offer = Record<string, unknown>

/** A method with the arguments it takes by name. */
export interface Invocation {
  readonly method: (...args: unknown[]) => unknown
  readonly parameters: Parameters
  /** Where the method stands, for messages: `UsersController.show`. */
  readonly label: string
  /** Whether the match alone has all that it may ask for, so that no other offer need be made. */
  readonly fromMatchAlone: boolean
  /** Whether it asks for the format of a resource. */
  readonly takesFormat: boolean
  /** Whether the names have been held against a real request, see {@link checkNames}. */
  checked: boolean
}

/** Names that an offer holds beside the match. */
const beyondMatch: ReadonlySet<string> = new Set(['environ', 'start_response', 'error'])

/** Plans the calls of one method of a class. `stated` are the names that `static args` gives, if any. */
export function planInvocation(
  label: string,
  method: unknown,
  stated: readonly string[] | undefined,
): Invocation {
  if (!isCallable(method)) throw new TypeError(`${label} is not a method`)
  const parameters = stated === undefined ? read(label, method) : statedParameters(stated)
  const everything = parameters.kind === 'destructured' && parameters.rest
  return {
    method,
    parameters,
    label,
    fromMatchAlone: !everything && !parameters.names.some(({ name }) => beyondMatch.has(name)),
    takesFormat: takes(parameters, 'format'),
    checked: stated !== undefined,
  }
}

/** Whether a method asks for the value of a name. */
export function takes(parameters: Parameters, name: string): boolean {
  if (parameters.kind === 'destructured' && parameters.rest) return true
  return parameters.names.some((parameter) => parameter.name === name)
}

function isCallable(method: unknown): method is Invocation['method'] {
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

/** Calls the method on `target` with what it asks for out of `offer`; what is lacking or null is `undefined`. */
export function invoke(invocation: Invocation, target: object, offer: Offer): unknown {
  if (!invocation.checked) checkNames(invocation, offer)
  const { method, parameters } = invocation
  const { names } = parameters
  if (parameters.kind === 'destructured') {
    return method.call(target, parameters.rest ? present(offer) : picked(names, offer))
  }
  // Spelled out for the usual counts: spreading an array costs more than the call itself.
  switch (names.length) {
    case 0:
      return method.call(target)
    case 1:
      return method.call(target, value(names, 0, offer))
    case 2:
      return method.call(target, value(names, 0, offer), value(names, 1, offer))
    default:
      return method.apply(
        target,
        names.map((_, index) => value(names, index, offer)),
      )
  }
}

function value(names: readonly Parameter[], index: number, offer: Offer): unknown {
  return offer[(names[index] as Parameter).name] ?? undefined
}

function picked(names: readonly Parameter[], offer: Offer): Offer {
  const object: Offer = Object.create(null)
  for (const { name } of names) object[name] = offer[name] ?? undefined
  return object
}

function present(offer: Offer): Offer {
  const object: Offer = Object.create(null)
  for (const name in offer) object[name] = offer[name] ?? undefined
  return object
}

/**
 * Holds the names against the first request that has values to offer: a bundler that renamed parameters would
 * otherwise leave them undefined without a word.
 */
function checkNames(invocation: Invocation, offer: Offer): void {
  const { names, kind } = invocation.parameters
  if (kind === 'destructured' || names.length === 0) {
    invocation.checked = true
    return
  }
  const lacking = names.filter(({ name }) => !(name in offer))
  for (const { name } of lacking) {
    const original = /^(.+?)\$?\d+$/.exec(name)?.[1]
    if (original !== undefined && original in offer) {
      throw new ParameterNamesError(
        invocation.label,
        `its parameter "${name}" looks renamed: the request offers "${original}"`,
      )
    }
  }
  const required = lacking.filter((parameter) => parameter.required)
  if (
    required.length > 0 &&
    names.every(({ name }) => name.length === 1) &&
    lacking.length === names.length
  ) {
    const shown = names.map(({ name }) => name).join(', ')
    throw new ParameterNamesError(
      invocation.label,
      `its parameters (${shown}) look minified: the request offers none of them`,
    )
  }
  // Names that this request did not offer may be renamed ones that the next request shows, so only a full fit settles it.
  invocation.checked = lacking.length === 0
}
