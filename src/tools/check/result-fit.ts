/**
 * Compares the results of actions with the schemas that `static results` declares for them.
 *
 * @module
 */
import type { Expressions } from './expressions.ts'
import { frameworkName } from './lookup.ts'
import { textOf } from './model.ts'
import type { SourceModule } from './modules.ts'
import { type FieldShape, fits, formatShape, mayBeArray, type Shape, type ShapeKind } from './shapes.ts'
import { is, keyName, type Of, objectEntries, type SyntaxNode, unwrap } from './syntax.ts'

/** A part of a result that a schema certainly refuses. */
export interface Misfit {
  readonly node: SyntaxNode
  /** The place in the result: `author.name`; empty for the result itself. */
  readonly path: string
  /** The type of the part; undefined if it is missing. */
  readonly given: string | undefined
  /** The types that the schema accepts. */
  readonly wanted: string
}

/** Kinds of results that are certainly values: no text, stream, response or application. */
const VALUES: ReadonlySet<ShapeKind> = new Set([
  'number',
  'boolean',
  'bigint',
  'symbol',
  'date',
  'null',
  'array',
])

/** Compares expressions of one method with schemas. Conservative: what it cannot see fits. */
export class ResultFit {
  readonly #module: SourceModule
  readonly #expressions: Expressions

  constructor(module: SourceModule, expressions: Expressions) {
    this.#module = module
    this.#expressions = expressions
  }

  /** Returns the text of a part of the method. */
  textOf(node: SyntaxNode): string {
    return textOf(this.#module, node)
  }

  /** Returns the parts of a returned expression that a schema refuses. The value of an outcome stands for its call. */
  misfits(expression: SyntaxNode, wanted: Shape): Misfit[] {
    const values = this.#results(expression).flatMap((node) => this.#valuesOf(node) ?? [node])
    return values.flatMap((node) => this.#misfits(node, wanted, '', true))
  }

  /** Returns the calls of `created()` and `done()` without a value that a method may return. */
  valueless(expression: SyntaxNode): SyntaxNode[] {
    return this.#results(expression).filter((node) => this.#valuesOf(node)?.length === 0)
  }

  /** Returns the calls of `created()` or `done()` that a method may return. */
  outcomes(expression: SyntaxNode, kind: 'created' | 'done'): SyntaxNode[] {
    return this.#results(expression).filter((node) => this.#outcomeOf(node) === kind)
  }

  /** Returns the expressions that a returned expression may be. */
  #results(expression: SyntaxNode): SyntaxNode[] {
    const node = unwrap(expression)
    if (is(node, 'ConditionalExpression')) {
      return [...this.#results(node.consequent), ...this.#results(node.alternate)]
    }
    if (is(node, 'LogicalExpression')) return this.#results(node.right)
    return is(node, 'AwaitExpression') ? this.#results(node.argument) : [node]
  }

  /** Returns the value of an outcome, if it has one. Undefined for any other expression. */
  #valuesOf(node: SyntaxNode): SyntaxNode[] | undefined {
    if (!is(node, 'CallExpression') || node.arguments.some((each) => is(each, 'SpreadElement')))
      return undefined
    return this.#outcomeOf(node) === undefined ? undefined : node.arguments.slice(1, 2)
  }

  /** Returns the function of the framework that a call makes an outcome with. */
  #outcomeOf(node: SyntaxNode): 'created' | 'done' | undefined {
    if (!is(node, 'CallExpression')) return undefined
    const called = frameworkName(this.#module, node.callee)
    return called === 'created' || called === 'done' ? called : undefined
  }

  /** @param isResult - whether it is the result itself, which text and streams may be whatever the schema. */
  #misfits(expression: SyntaxNode, wanted: Shape, path: string, isResult: boolean): Misfit[] {
    if (wanted.some(({ kind }) => kind === 'any')) return []
    const node = unwrap(expression)
    if (is(node, 'ObjectExpression')) {
      if (isResult && !isPlainObject(node)) return []
      const objects = wanted.filter(({ kind }) => kind === 'object')
      if (objects.length === 0) return [{ node, path, given: 'object', wanted: formatKinds(wanted) }]
      const [only, ...others] = objects
      return only?.fields === undefined || others.length > 0 ? [] : this.#members(node, only.fields, path)
    }
    if (is(node, 'ArrayExpression')) {
      const arrays = wanted.filter((part) => mayBeArray(part))
      if (arrays.length === 0) return [{ node, path, given: 'array', wanted: formatKinds(wanted) }]
      const [only, ...others] = arrays
      if (only?.element === undefined || others.length > 0) return []
      const { element } = only
      return node.elements.flatMap((one, index) =>
        one === null || is(one, 'SpreadElement')
          ? []
          : this.#misfits(one, element, `${path}[${index}]`, false),
      )
    }
    const shape = this.#expressions.shape(node)
    const certain = isResult ? shape.filter(({ kind }) => VALUES.has(kind)) : shape
    const refused = certain.filter(({ kind }) => !wanted.some((part) => fits({ kind }, part)))
    return refused.length === 0
      ? []
      : [{ node, path, given: formatShape(refused), wanted: formatKinds(wanted) }]
  }

  #members(node: Of<'ObjectExpression'>, fields: ReadonlyMap<string, FieldShape>, path: string): Misfit[] {
    const spread = node.properties.findLastIndex((property) => is(property, 'SpreadElement'))
    const properties = objectEntries(node)
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    const missing = [...fields]
      .filter(
        ([name, { isOptional }]) => properties?.complete && !isOptional && !properties.entries.has(name),
      )
      .map(([name, { shape }]) => ({ node, path: at(name), given: undefined, wanted: formatKinds(shape) }))
    const wrong = node.properties.slice(spread + 1).flatMap((property) => {
      if (!is(property, 'Property') || property.kind !== 'init') return []
      const name = keyName(property.key, property.computed)
      const field = name === undefined ? undefined : fields.get(name)
      return name === undefined || field === undefined
        ? []
        : this.#misfits(property.value, field.shape, at(name), false)
    })
    return [...missing, ...wrong]
  }
}

/** Returns the kinds of a declared type of results that are certainly values and that a schema refuses. */
export function refusedKinds(shape: Shape, wanted: Shape): Shape {
  return shape.filter(({ kind }) => VALUES.has(kind) && !wanted.some((part) => fits({ kind }, part)))
}

/** Returns true for an object literal that is neither an application nor an iterable, as far as its own members say. */
function isPlainObject(node: SyntaxNode): boolean {
  return (
    is(node, 'ObjectExpression') &&
    node.properties.every((property) => {
      if (!is(property, 'Property')) return true
      const name = keyName(property.key, property.computed)
      return name !== undefined && name !== 'wsgi'
    })
  )
}

/** Formats the kinds of a shape, without the elements of arrays. */
export function formatKinds(shape: Shape): string {
  return formatShape(shape.map(({ kind }) => ({ kind })))
}
