import { literalShape } from '../shapes.ts'
import { is, type SyntaxNode, unwrap } from '../syntax.ts'
import { type Input, inputOf } from './input.ts'

/** Returns the kind of a literal that a schema accepts; undefined for other expressions. */
export function literalInput(expression: SyntaxNode): Input {
  const node = unwrap(expression)
  if (is(node, 'Literal') && node.value === null && node.regex === undefined && node.bigint === undefined)
    return inputOf('null')
  const [part] = literalShape(node)
  return part === undefined || part.kind === 'any' ? undefined : inputOf(part.kind)
}
