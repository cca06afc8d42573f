/**
 * What a method asks for, read from its own source text.
 *
 * Parameter names exist nowhere at run time but in `Function.prototype.toString()`. The text is parsed once per method
 * with a real parser, since defaults, patterns, comments and strings defeat anything less.
 */
import type { Pattern } from 'acorn'
import { parseFunction } from './function-source.ts'

/** The parameters of a method, as the arguments by name must fit them. */
export type Parameters =
  | { readonly kind: 'positional'; readonly names: readonly Parameter[] }
  | { readonly kind: 'destructured'; readonly names: readonly Parameter[]; readonly rest: boolean }

export interface Parameter {
  readonly name: string
  /** False where the source states a default, so that a missing value is expected. */
  readonly required: boolean
}

/** Methods that stand for others (a decorator's wrapper), with the method whose parameters count. */
const originals = new WeakMap<object, object>()

/** States that `wrapper` takes the same arguments by name as `original`. Used by decorators. */
export function takesParametersOf(wrapper: object, original: object): void {
  originals.set(wrapper, originals.get(original) ?? original)
}

/** The method that a decorator wrapped, or the method itself. */
export function originalMethod(method: object): object {
  return originals.get(method) ?? method
}

/**
 * Reads the parameters of a method.
 *
 * @throws SyntaxError when the source is not to be had (a native or bound function) or a parameter has no name.
 */
export function parametersOf(method: object): Parameters {
  const { params } = parseFunction(String(originalMethod(method)))
  const [first] = params
  const target = first?.type === 'AssignmentPattern' ? first.left : first
  if (params.length === 1 && target?.type === 'ObjectPattern') return destructured(target.properties)
  const names: Parameter[] = []
  for (const param of params) {
    if (param.type === 'RestElement') break
    names.push(named(param))
  }
  return { kind: 'positional', names }
}

/** The parameters that `static args` states, for builds that rename them. */
export function statedParameters(names: readonly string[]): Parameters {
  return { kind: 'positional', names: names.map((name) => ({ name, required: false })) }
}

function destructured(properties: readonly { type: string }[]): Parameters {
  const names: Parameter[] = []
  let rest = false
  for (const property of properties as readonly ObjectPatternMember[]) {
    if (property.type === 'RestElement') {
      rest = true
    } else if (property.computed) {
      throw new SyntaxError('a computed key in the destructured parameter cannot be matched by name')
    } else {
      const name = property.key.type === 'Identifier' ? property.key.name : String(property.key.value)
      names.push({ name, required: property.value.type !== 'AssignmentPattern' })
    }
  }
  return { kind: 'destructured', names, rest }
}

function named(param: Pattern): Parameter {
  if (param.type === 'Identifier') return { name: param.name, required: true }
  if (param.type === 'AssignmentPattern' && param.left.type === 'Identifier') {
    return { name: param.left.name, required: false }
  }
  throw new SyntaxError(
    'a pattern among several parameters has no name; destructure one single parameter instead',
  )
}

type ObjectPatternMember =
  | { type: 'RestElement' }
  | {
      type: 'Property'
      computed: boolean
      key: { type: 'Identifier'; name: string } | { type: 'Literal'; value: unknown }
      value: Pattern
    }
