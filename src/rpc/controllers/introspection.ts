/** Introspection of a service (XML-RPC introspection specification). */

import type { Signature } from '../xmlrpc/signature.ts'
import { leastArguments, type Procedure, type Service } from './procedures.ts'
import { type DeclaredSignature, xmlrpcType } from './type-table.ts'

/** Returns the public names of all methods of the XML-RPC face, sorted. */
export function publishedNames({ procedures, system }: Service, publish: (name: string) => string): string[] {
  return [...procedures.keys(), ...system.keys()].map(publish).sort()
}

/** Returns the result of `system.methodSignature`: 'undef' if no signature consists of types that XML-RPC has. */
export function signatureResult(procedure: Procedure): string | Signature[] {
  const typed = typedSignatures(validSignatures(procedure))
  return typed.length === 0 ? 'undef' : typed
}

/** Returns the result of `system.methodHelp`: the help, and after a blank line the signatures, if there are any. */
export function helpResult(procedure: Procedure): string {
  const { help } = procedure
  const typed = typedSignatures(validSignatures(procedure))
  if (typed.length === 0) return help
  const lists = typed.map((signature) => `[${signature.map((type) => `'${type}'`).join(', ')}]`)
  const last = `Method signature: [${lists.join(', ')}]`
  return help === '' ? last : `${help}\n\n${last}`
}

/** Returns the signatures in types of XML-RPC, without those that have a schema of which no type is known. */
function typedSignatures(signatures: readonly DeclaredSignature[]): Signature[] {
  return signatures.flatMap(([returns, ...parameters]) => {
    const type = xmlrpcType(returns, 'output')
    const types = parameters.map((parameter) => xmlrpcType(parameter, 'input'))
    const known = types.filter((each) => each !== undefined)
    return type === undefined || known.length < types.length ? [] : [[type, ...known] as const]
  })
}

/** Returns the signatures for each number of arguments that a call may have, without duplicates. */
function validSignatures(procedure: Procedure): DeclaredSignature[] {
  const least = leastArguments(procedure)
  const all = procedure.signatures.flatMap((signature, index) => {
    const [returns, ...types] = signature
    const shorter = types.length - (least[index] ?? types.length)
    return Array.from({ length: shorter + 1 }, (_, omitted): DeclaredSignature => {
      return omitted === 0 ? signature : [returns, ...types.slice(0, types.length - omitted)]
    })
  })
  const isSame = (one: DeclaredSignature, other: DeclaredSignature) =>
    one.length === other.length && one.every((type, index) => type === other[index])
  return all.filter((signature, index) => all.findIndex((other) => isSame(signature, other)) === index)
}
