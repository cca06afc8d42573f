/**
 * The parameters of methods with their types, as the source writes them.
 *
 * @module
 */
import { typeMembers, typeShape } from './annotations.ts'
import { Expressions } from './expressions.ts'
import { type Located, type ParameterModel, placeOf } from './model.ts'
import { ANY, type Shape } from './shapes.ts'
import { type FunctionNode, is, namedProperties, type Of, type SyntaxNode } from './syntax.ts'

/** The parameters of a method. */
export interface ParameterList {
  readonly parameters: readonly ParameterModel[]
  /** Whether it receives every argument. */
  readonly takesAll: boolean
}

/** Returns the parameters of a function, or the members of its only one if that is destructured. */
export function readParameters({ module, node }: Located<FunctionNode>): ParameterList {
  const params = node.params.filter((param) => !is(param, 'Identifier') || param.name !== 'this')
  const [first] = params
  const target = is(first, 'AssignmentPattern') ? first.left : first
  if (params.length === 1 && is(target, 'ObjectPattern')) return destructured(module, target)
  return { parameters: params.flatMap((param) => positional(module, param) ?? []), takesAll: false }
}

function positional(module: Located['module'], param: SyntaxNode): ParameterModel | undefined {
  const target = is(param, 'AssignmentPattern') ? param.left : param
  if (!is(target, 'Identifier')) return undefined
  const fallback = is(param, 'AssignmentPattern') ? param.right : undefined
  const annotated = target.typeAnnotation && typeShape(module, target.typeAnnotation)
  const isOptional = target.optional === true || fallback !== undefined
  return {
    name: target.name,
    place: placeOf(module, target),
    shape: optional(annotated ?? inferred(module, fallback), isOptional),
  }
}

function destructured(module: Located['module'], pattern: Of<'ObjectPattern'>): ParameterList {
  const types = pattern.typeAnnotation && typeMembers(module, pattern.typeAnnotation)
  const { entries, complete } = namedProperties(pattern)
  const parameters = [...entries].map(([name, property]): ParameterModel => {
    const fallback = is(property.value, 'AssignmentPattern') ? property.value.right : undefined
    // A pattern with an annotation that is not written out here has the types of the annotation.
    const own = pattern.typeAnnotation === undefined ? inferred(module, fallback) : types?.get(name)
    return { name, place: placeOf(module, property), shape: optional(own, fallback !== undefined) }
  })
  return { parameters, takesAll: !complete }
}

/** Returns the type that a parameter without an annotation has by its default. */
function inferred(module: Located['module'], fallback: SyntaxNode | undefined): Shape | undefined {
  if (fallback === undefined) return undefined
  const shape = new Expressions(module).shape(fallback)
  // `[]`, `{}` and `undefined` say little about the values that are passed, but none of them is text.
  return shape.some(({ kind }) => kind === 'undefined' || kind === 'null') ? ANY : shape
}

function optional(shape: Shape | undefined, isOptional: boolean): Shape | undefined {
  return shape !== undefined && isOptional ? [...shape, { kind: 'undefined' }] : shape
}
