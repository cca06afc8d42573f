/** Checks the parameters of a call against those of its method. */
import type { MethodBinding } from '../metadata.ts'
import { type Arity, formatArity } from '../rpc/arity.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'
import type { RPCRequest } from './message.ts'

/**
 * Returns the arguments of a call in the order of the method's parameters.
 *
 * @throws JSONRPCError - code -32602: parameters are missing, superfluous or unknown.
 */
export function argumentsOf(
  params: RPCRequest['params'],
  arity: Arity,
  binding: () => MethodBinding | undefined,
): readonly unknown[] {
  if (isPositional(params)) {
    if (params.length >= arity.least && params.length <= arity.most) return params
    throw misfit(`the method takes ${formatArity(arity)}, not ${params.length}`)
  }
  const parameters = binding()?.parameters
  if (parameters === undefined) throw misfit('the method takes parameters by position')
  const { names } = parameters
  const known = new Set(names.map(({ name }) => name))
  const everything = parameters.kind === 'destructured' && parameters.rest
  const surplus = everything ? undefined : Object.keys(params).find((name) => !known.has(name))
  if (surplus !== undefined) throw misfit(`there is no parameter ${JSON.stringify(surplus.slice(0, 100))}`)
  const lacking = names.find(({ name, required }) => required && !Object.hasOwn(params, name))
  if (lacking !== undefined) throw misfit(`the parameter "${lacking.name}" is missing`)
  if (parameters.kind === 'destructured') return [Object.assign(Object.create(null), params)]
  return names.map(({ name }) => (Object.hasOwn(params, name) ? params[name] : undefined))
}

function isPositional(params: RPCRequest['params']): params is readonly unknown[] {
  return Array.isArray(params)
}

function misfit(text: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidParams, `Invalid params: ${text}`)
}
