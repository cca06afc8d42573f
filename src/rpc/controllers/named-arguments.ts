/** Arguments of calls that name their parameters. */
import type { Parameters } from '../../controllers/parameters.ts'
import { mayOmit } from './optional-parameters.ts'
import type { Procedure } from './procedures.ts'
import { type ArgumentError, wrongArguments, wrongParameters } from './rpc-failure.ts'

/**
 * Returns the arguments in the order of the method's parameters, up to the last one that is given. A parameter that is
 * left out is undefined. A method that destructures one parameter receives all arguments as an object.
 *
 * @throws CallRefusal - parameters are missing or unknown, or the names cannot be read from the source.
 */
export function namedArguments(
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
  if (parameters.kind === 'destructured' || signatures.length === 0)
    return parameters.names[index]?.required === true
  return signatures.every((signature) => {
    const type = signature[index + 1]
    return type !== undefined && !mayOmit(procedure, index, type)
  })
}

/** Returns the name of a parameter for messages: its number if the name cannot be read. */
export function parameterName({ parameters }: Procedure, index: number): string {
  return (parameters?.kind === 'positional' && parameters.names[index]?.name) || `parameter ${index + 1}`
}
