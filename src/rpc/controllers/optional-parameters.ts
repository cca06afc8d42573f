/** Parameters that a call may leave out: the method has a default for them, or their schema accepts undefined. */
import { oncePer } from '../../base/once-per.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import type { DeclaredSignature, DeclaredType } from './declared-types.ts'
import type { Procedure } from './procedures.ts'

/** Returns true if a call may leave out a parameter of a signature. */
export function mayOmit({ parameters }: Procedure, index: number, type: DeclaredType): boolean {
  if (parameters?.kind === 'positional' && parameters.names[index]?.required === false) return true
  return typeof type !== 'string' && acceptsNothing(type)
}

/** Returns the smallest number of arguments of each signature: only the last parameters may be left out by position. */
export const leastArguments = oncePer((procedure: Procedure): readonly number[] =>
  procedure.signatures.map(
    ([, ...types]) => types.findLastIndex((type, index) => !mayOmit(procedure, index, type)) + 1,
  ),
)

/** Returns the signatures for each number of arguments that a call may have, without duplicates. */
export function validSignatures(procedure: Procedure): DeclaredSignature[] {
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
