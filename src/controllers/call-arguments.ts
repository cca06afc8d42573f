/** The arguments of one call of a method, made of what a request offers. */

import { isPromise } from '../base/promise.ts'
import { emptyObject } from '../base/record.ts'
import { Request } from '../http/request.ts'
import { cancellationOf } from '../wsgi/cancellation.ts'
import type { Environ } from '../wsgi/types.ts'
import { convertArguments } from './conversion.ts'
import type { ControllerMetadata } from './metadata.ts'
import type { MethodBinding, NamedArguments } from './method-binding.ts'
import type { Parameter } from './parameters.ts'

/** Key in the environ for the {@link GivenArguments} of a call. */
export const GIVEN_KEY = 'propylon.arguments'

/** The arguments of a call that is not made of text, such as a tool's. */
export class GivenArguments {
  /** Of the class that is called. Another one that serves the same request reads its own path and query. */
  readonly metadata: ControllerMetadata
  readonly values: Readonly<Record<string, unknown>>

  constructor(metadata: ControllerMetadata, values: Readonly<Record<string, unknown>>) {
    this.metadata = metadata
    this.values = values
  }
}

/** The part of a controller's state that converted arguments belong to. */
export interface ConvertedState {
  readonly environ: Environ
  readonly metadata: ControllerMetadata
  /** Values of the matched route by name. */
  readonly match: NamedArguments
  /** Converted arguments of the methods with converters: the action and the hooks. */
  converted: ConvertedArguments[] | undefined
}

/** Converted arguments of a method. */
export interface ConvertedArguments {
  readonly method: MethodBinding
  readonly values: NamedArguments
}

const NO_VALUES: NamedArguments = Object.freeze(emptyObject())

/**
 * Converts the arguments of a method, once per request.
 *
 * @param showsErrors - returns true if a 404 may say why the path does not convert.
 * @returns the converted values by name, as a promise only if a schema is asynchronous.
 * @throws HTTPNotFound - a value of the match is refused.
 * @throws HTTPBadRequest - values of the query are refused.
 */
export function convertOnce(
  state: ConvertedState,
  method: MethodBinding,
  showsErrors: () => boolean,
): NamedArguments | Promise<NamedArguments> {
  if (method.converters === undefined || method.converters.size === 0) return NO_VALUES
  const { converted = [], match, environ } = state
  for (const known of converted) if (known.method === method) return known.values
  const { [GIVEN_KEY]: call } = environ
  const given = call instanceof GivenArguments && call.metadata === state.metadata ? call.values : undefined
  const source = { match, given, query: () => Request.of(environ).query, environ, showsErrors }
  const values = convertArguments(method.label, method.converters, source)
  const keep = (settled: NamedArguments): NamedArguments => {
    converted.push({ method, values: settled })
    state.converted = converted
    return settled
  }
  return isPromise(values) ? values.then(keep) : keep(values)
}

/**
 * Returns a copy of the result of `_get_method_args`, with the arguments `error` and `signal`.
 *
 * @param className - for messages.
 * @throws TypeError - the result is not an object.
 */
export function offeredBy(
  className: string,
  { takesSignal }: MethodBinding,
  args: unknown,
  environ: Environ,
  error: unknown,
): NamedArguments {
  if (typeof args !== 'object' || args === null) {
    const shown = args === null ? 'null' : typeof args
    throw new TypeError(
      `${className}._get_method_args() returned ${shown}. Return an object of arguments by name.`,
    )
  }
  const offered: NamedArguments = Object.assign(Object.create(null), args)
  if (error !== undefined) offered.error = error
  // Created only for those that take it. A value of the match or of a call has precedence.
  if (takesSignal) offered.signal ??= cancellationOf(environ).signal
  return offered
}

/** Returns the named arguments. Those that are missing are undefined. */
export function picked(names: readonly Parameter[], offered: NamedArguments): NamedArguments {
  const object: NamedArguments = Object.create(null)
  for (const { name } of names) object[name] = offered[name]
  return object
}

/** Returns all arguments. Those that are null are undefined. */
export function present(offered: NamedArguments): NamedArguments {
  const object: NamedArguments = Object.create(null)
  for (const name in offered) object[name] = offered[name] ?? undefined
  return object
}
