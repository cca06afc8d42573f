/**
 * The shapes of the values of Standard Schemas that the application writes itself.
 *
 * @module
 */
import type { Annotations } from '../annotations.ts'
import { Expressions } from '../expressions.ts'
import type { Lookup } from '../lookup.ts'
import type { Located } from '../model.ts'
import type { SourceModule } from '../modules.ts'
import { ANY, type Shape, unionOf } from '../shapes.ts'
import {
  type FunctionNode,
  is,
  isFunctionNode,
  memberName,
  objectEntries,
  ownNodes,
  type SyntaxNode,
  unwrap,
} from '../syntax.ts'

/** Types of schemas by the index of the type parameter for the output. */
const TYPES: ReadonlyMap<string, number> = new Map([
  ['StandardSchemaV1', 1],
  ['StandardTypedV1', 1],
  ['Converter', 0],
])

/** Maximum number of constants that are followed. */
const MAX_DEPTH = 20

/** Reads the shapes of objects with the member `~standard`. */
export class HandWrittenShapes {
  readonly #lookup: Lookup
  readonly #annotations: Annotations

  constructor(lookup: Lookup, annotations: Annotations) {
    this.#lookup = lookup
    this.#annotations = annotations
  }

  /** Returns the shape of the values of a schema; undefined if neither its type nor its object shows it. */
  shape(from: SourceModule, expression: SyntaxNode): Shape | undefined {
    let module = from
    let node = expression
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const stated = this.#stated(module, node)
      if (stated !== undefined) return stated
      const meaning = this.#lookup.expression(module, node)
      if (meaning?.kind !== 'local' || meaning.declaration.kind !== 'value') break
      const { type } = meaning.declaration
      const annotated = type && this.#output(meaning.module, type)
      if (annotated !== undefined) return annotated
      module = meaning.module
      node = meaning.declaration.node
    }
    return this.#written(module, unwrap(node))
  }

  /** Returns the output that an expression states itself: `… satisfies StandardSchemaV1<string, number>`. */
  #stated(module: SourceModule, expression: SyntaxNode): Shape | undefined {
    if (is(expression, 'TSSatisfiesExpression', 'TSAsExpression', 'TSTypeAssertion')) {
      return this.#output(module, expression.typeAnnotation) ?? this.#stated(module, expression.expression)
    }
    if (!is(expression, 'CallExpression')) return undefined
    const meaning = this.#lookup.expression(module, expression.callee)
    if (meaning?.kind !== 'local' || !isFunctionNode(meaning.declaration.node)) return undefined
    const { returnType, typeParameters } = meaning.declaration.node
    return returnType && typeParameters === undefined ? this.#output(meaning.module, returnType) : undefined
  }

  /** Returns the output in the type of a schema. */
  #output(module: SourceModule, annotation: SyntaxNode): Shape | undefined {
    const type = is(annotation, 'TSTypeAnnotation') ? annotation.typeAnnotation : annotation
    if (!is(type, 'TSTypeReference') || !is(type.typeName, 'Identifier')) return undefined
    const meaning = this.#lookup.name(module, type.typeName.name, 'types')
    const index = meaning?.kind === 'external' ? TYPES.get(meaning.name) : undefined
    const output = index === undefined ? undefined : type.typeArguments?.params[index]
    return output && this.#annotations.shape(module, output)
  }

  /** Returns the values that `validate` of an object returns. */
  #written(module: SourceModule, node: SyntaxNode): Shape | undefined {
    const standard = objectEntries(node)?.entries.get('~standard')?.value
    const properties = standard && this.#lookup.value(module, standard)
    const entry = properties && objectEntries(properties.node)?.entries.get('validate')?.value
    const validate = entry && this.#lookup.value(properties.module, entry)
    return isFunctionNode(validate?.node)
      ? this.#returned({ module: validate.module, node: validate.node })
      : undefined
  }

  #returned({ module, node }: Located<FunctionNode>): Shape {
    const results = is(node.body, 'BlockStatement')
      ? ownNodes(node).flatMap((inner) =>
          is(inner, 'ReturnStatement') && inner.argument ? [inner.argument] : [],
        )
      : [node.body]
    const values = results.flatMap((result) => this.#values(module, result))
    return values.length === 0 ? ANY : unionOf(values)
  }

  /** Returns the shapes of the member `value` of results: none for `{ issues }`, `any` for what is not written out. */
  #values(module: SourceModule, result: SyntaxNode): Shape[] {
    const node = unwrap(result)
    if (is(node, 'ConditionalExpression')) {
      return [...this.#values(module, node.consequent), ...this.#values(module, node.alternate)]
    }
    const properties = objectEntries(node)
    if (properties === undefined || !properties.complete) return [ANY]
    const value = properties.entries.get('value')
    if (value === undefined) return properties.entries.has('issues') ? [] : [ANY]
    return [certain(module, value.value, this.#annotations)]
  }
}

/** Returns the shape of an expression that no name of the function can change: `Number(text)`, a literal. */
function certain(module: SourceModule, value: SyntaxNode, annotations: Annotations): Shape {
  const node = unwrap(value)
  // Without the names of the function, a variable could be taken for a constant of the module.
  if (is(node, 'Identifier') || memberName(node) !== undefined) return ANY
  return new Expressions(module, annotations).shape(node)
}
