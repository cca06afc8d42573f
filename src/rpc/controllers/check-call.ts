/** Checks calls against the signatures of their procedures before hooks and methods run, whatever the face. */

import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import { issueSteps } from '../../http/converters/schema.ts'
import type { TypeName } from '../xmlrpc/signature.ts'
import { isPlain, type Value } from '../xmlrpc/values.ts'
import { convertValue, isSettled, type Result } from './convert-value.ts'
import { INFINITE, isFiniteThroughout } from './json-values.ts'
import { formatArity, leastArguments, mayOmit, type Procedure } from './procedures.ts'
import { type ArgumentError, type CallRefusal, MAX_LISTED, wrongArguments, wrongParameters } from './rpc-failure.ts'
import { ANY, type DeclaredSignature, type DeclaredType, Members, xmlrpcType } from './type-table.ts'

/** The parameters of a call as the client sent them. */
export type SentParameters =
  /** Values of XML-RPC, which have types. */
  | { readonly kind: 'typed'; readonly values: readonly Value[]; readonly types: readonly TypeName[] }
  /** JSON values by position. */
  | { readonly kind: 'positional'; readonly values: readonly unknown[] }
  /** JSON values by name. */
  | { readonly kind: 'named'; readonly values: Readonly<Record<string, unknown>> }

/** A call whose procedure exists and whose parameters fit. */
export interface CheckedCall {
  /** Name that the client sent. */
  readonly methodName: string
  readonly procedure: Procedure
  readonly sent: SentParameters
  /** Arguments of the method. */
  readonly args: readonly unknown[]
  /** Declared type of the result, from the signature that matches. */
  readonly returns: DeclaredType | undefined
}

/**
 * Checks the parameters of a call and converts them to arguments. A procedure without signatures takes any values; only
 * their number, or their names, are checked.
 *
 * @returns a promise only if a schema of a signature is asynchronous.
 * @throws CallRefusal - the parameters do not fit.
 */
export function checkCall(
  methodName: string,
  procedure: Procedure,
  sent: SentParameters,
): CheckedCall | Promise<CheckedCall> {
  const args = argumentsOf(methodName, procedure, sent)
  const call: CheckedCall = { methodName, procedure, sent, args, returns: procedure.returns }
  const { signatures, arity } = procedure
  if (signatures.length > 0) {
    const candidates = candidatesOf(procedure, args.length)
    const exact = candidates.filter((signature) => isExact(call, signature))
    return firstFit(call, [...exact, ...candidates.filter((signature) => !exact.includes(signature))], [])
  }
  if (sent.kind === 'named' || (args.length >= arity.least && args.length <= arity.most)) {
    return sent.kind === 'typed' ? call : finiteCall(call)
  }
  throw wrongParameters(`${methodName} takes ${formatArity(arity)}, not ${args.length}`)
}

/** Returns the signatures that take a number of arguments: first those that have as many parameters. */
function candidatesOf(procedure: Procedure, count: number): readonly DeclaredSignature[] {
  const { signatures } = procedure
  const exact = signatures.filter((signature) => signature.length === count + 1)
  if (signatures.every((signature) => signature.length <= count + 1)) return exact
  const least = leastArguments(procedure)
  const longer = signatures.filter((signature, index) => signature.length > count + 1 && (least[index] ?? 0) <= count)
  return [...exact, ...longer]
}

/** @throws CallRefusal - a JSON value has a number beyond the range of doubles. */
function finiteCall(call: CheckedCall): CheckedCall {
  const errors = call.args.flatMap((value, index) =>
    isFiniteThroughout(value) ? [] : { name: parameterName(call.procedure, index), detail: INFINITE },
  )
  if (errors.length > 0) throw refusal(call, errors)
  return call
}

/**
 * Returns the arguments by position. One object of a method that destructures it, and declares no signature, is checked
 * like arguments by name.
 *
 * @throws CallRefusal - names are missing or unknown.
 */
function argumentsOf(methodName: string, procedure: Procedure, sent: SentParameters): readonly unknown[] {
  if (sent.kind === 'named') return namedArguments(methodName, procedure, sent.values)
  const { values } = sent
  const { signatures, arity } = procedure
  const isOpen = signatures.every(([, type]) => type instanceof Members)
  const isObject = isOpen && procedure.parameters?.kind === 'destructured'
  if (!isObject || values.length < arity.least || values.length > 1) return values
  const members = values.length === 0 ? {} : values[0]
  if (!isRecord(members) || !isPlain(members)) {
    throw wrongParameters(`${methodName} takes its parameters by name: pass one object`)
  }
  return namedArguments(methodName, procedure, members)
}

/**
 * Returns the call with the converted arguments of the first signature that fits.
 *
 * @param errors - of the signatures that do not.
 */
function firstFit(
  call: CheckedCall,
  signatures: readonly DeclaredSignature[],
  errors: readonly ArgumentError[],
): CheckedCall | Promise<CheckedCall> {
  const [signature] = signatures
  if (signature === undefined) throw refusal(call, errors)
  const [returns, ...types] = signature
  const { sent } = call
  const results = types.map((type, index) =>
    convertValue(call.args[index], sent.kind === 'typed' ? (sent.types[index] ?? 'nil') : undefined, type),
  )
  const choose = (settled: readonly Result[]): CheckedCall | Promise<CheckedCall> => {
    if (settled.every(({ issues }) => issues === undefined))
      return { ...call, args: givenArguments(settled, call.args.length), returns }
    const found = settled.flatMap((result, index) =>
      errorsIn(result, parameterName(call.procedure, index), types[index]),
    )
    return firstFit(call, signatures.slice(1), [...errors, ...found])
  }
  return results.some(isPromise) ? Promise.all(results).then(choose) : choose(results.filter(isSettled))
}

/** Returns the arguments without those at the end that the call left out and no schema has a default for. */
function givenArguments(results: readonly Result[], count: number): readonly unknown[] {
  const values = results.map((result) => (result.issues === undefined ? result.value : undefined))
  const last = values.findLastIndex((value, index) => value !== undefined || index < count)
  return values.slice(0, last + 1)
}

/** Returns true if the types of the parameters equal the types of a signature, without a conversion of numbers. */
function isExact({ sent }: CheckedCall, [, ...types]: DeclaredSignature): boolean {
  if (sent.kind !== 'typed') return false
  return sent.types.every((given, index) => {
    const type = xmlrpcType(types[index] ?? ANY, 'input')
    return type === undefined || type === given || type === 'i4'
  })
}

function errorsIn({ issues = [] }: Result, parameter: string, type?: DeclaredType): ArgumentError[] {
  return issues.map((issue) => ({
    name: [...(type instanceof Members ? [] : [parameter]), ...issueSteps(issue)].join('.'),
    detail: issue.message,
  }))
}

/** Lists the signatures, or what is wrong with each parameter. Errors of several signatures are alternatives. */
function refusal({ methodName, procedure, sent, args }: CheckedCall, found: readonly ArgumentError[]): CallRefusal {
  const byName = Map.groupBy(found, ({ name }) => name)
  const errors = [...byName].slice(0, MAX_LISTED).map(([name, all]) => {
    const details = [...new Set(all.map(({ detail }) => detail))].slice(0, MAX_LISTED).join(', or ')
    // Many schemas repeat the value, which may be as long as the body.
    return { name: shortened(name), detail: shortened(details) }
  })
  const { signatures } = procedure
  if (errors.length > 0 && !(sent.kind === 'typed' && signatures.flat().every((type) => typeof type === 'string'))) {
    return wrongArguments(methodName, errors)
  }
  const least = leastArguments(procedure)
  const takes = signatures
    .map(([, ...types], at) => {
      // Several signatures list the shorter sets of parameters themselves.
      const required = signatures.length === 1 ? (least[at] ?? 0) : types.length
      const labels = types.map(
        (type, index) => (xmlrpcType(type, 'input') ?? 'a value') + (index < required ? '' : '?'),
      )
      return formatTypes(labels)
    })
    .join(' or ')
  const given = sent.kind === 'typed' ? formatTypes(sent.types) : `${args.length} parameters`
  return wrongParameters(`${methodName} takes ${takes}, not ${given}`, errors)
}

/** Maximum length of a name or a detail in a refusal, in UTF-16 code units. */
const MAX_TEXT = 500

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…`.toWellFormed() : text
}

function formatTypes(types: readonly string[]): string {
  const more = types.length > MAX_LISTED ? `, … ${types.length} in all` : ''
  return `(${types.slice(0, MAX_LISTED).join(', ')}${more})`
}

/**
 * Returns the arguments in the order of the method's parameters, up to the last one that is given. A parameter that is
 * left out is undefined. A method that destructures one parameter receives all arguments as an object.
 *
 * @throws CallRefusal - parameters are missing or unknown, or the names cannot be read from the source.
 */
function namedArguments(
  methodName: string,
  procedure: Procedure,
  values: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const { parameters } = procedure
  if (parameters === undefined) throw wrongParameters(`${methodName} takes its parameters by position`)
  const { names } = parameters
  const known = new Set(names.map(({ name }) => name))
  const isOpen = parameters.kind === 'destructured' && parameters.rest
  const errors: ArgumentError[] = [
    ...(isOpen ? [] : Object.keys(values).filter((name) => !known.has(name))).map((name) => ({
      name: name.slice(0, 100),
      detail: 'there is no such parameter',
    })),
    ...names
      .filter(({ name }, index) => !Object.hasOwn(values, name) && isRequired(procedure, parameters, index))
      .map(({ name }) => ({ name, detail: 'is missing' })),
  ]
  if (errors.length > 0) throw wrongArguments(methodName, errors)
  if (parameters.kind === 'destructured') return [Object.assign(Object.create(null), values)]
  const args = names.map(({ name }) => (Object.hasOwn(values, name) ? values[name] : undefined))
  return args.slice(0, args.findLastIndex((value) => value !== undefined) + 1)
}

/** Returns false for a parameter that may be left out, or that one of the signatures does not have. */
function isRequired(procedure: Procedure, parameters: Parameters, index: number): boolean {
  const { signatures } = procedure
  if (parameters.kind === 'destructured' || signatures.length === 0) return parameters.names[index]?.required === true
  return signatures.every((signature) => {
    const type = signature[index + 1]
    return type !== undefined && !mayOmit(procedure, index, type)
  })
}

/** Returns the name of a parameter for messages: its number if the name cannot be read. */
function parameterName({ parameters }: Procedure, index: number): string {
  return (parameters?.kind === 'positional' && parameters.names[index]?.name) || `parameter ${index + 1}`
}
