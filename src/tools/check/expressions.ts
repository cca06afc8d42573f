/**
 * The shapes of expressions.
 *
 * @module
 */
import { awaitedShape, typeShape } from './annotations.ts'
import { constantOf, nameIn } from './lookup.ts'
import type { SourceModule } from './modules.ts'
import { ANY, literalShape, type Shape, type ShapeKind, shapeOf, unionOf } from './shapes.ts'
import { is, isFunctionNode, memberName, type Of, type SyntaxNode, WRAPPERS } from './syntax.ts'

/** Operators whose result is a boolean. */
const COMPARISONS: ReadonlySet<string> = new Set([
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'instanceof',
])

/** Functions of the language by the kind of their results. */
export const GLOBAL_FUNCTIONS: Readonly<Record<string, ShapeKind>> = {
  Number: 'number',
  parseInt: 'number',
  parseFloat: 'number',
  Boolean: 'boolean',
  String: 'string',
  BigInt: 'bigint',
  Symbol: 'symbol',
}

/** Reads the shapes of expressions of one module. */
export class Expressions {
  readonly #module: SourceModule
  readonly #locals: ReadonlyMap<string, Shape>
  readonly #follows: boolean

  /**
   * @param locals - the names that a function declares, which hide the names of the module.
   * @param follows - whether to follow names to the constants and functions of modules. Otherwise they are unknown.
   */
  constructor(module: SourceModule, locals: ReadonlyMap<string, Shape> = new Map(), follows = true) {
    this.#module = module
    this.#locals = locals
    this.#follows = follows
  }

  /** Returns the shape of an expression, with what an awaited promise resolves to. */
  shape(node: SyntaxNode): Shape {
    if (is(node, 'TSAsExpression', 'TSTypeAssertion')) {
      return isConstAssertion(node)
        ? this.shape(node.expression)
        : typeShape(this.#module, node.typeAnnotation)
    }
    if (is(node, ...WRAPPERS)) return this.shape(node.expression)
    if (is(node, 'Literal', 'TemplateLiteral')) return literalShape(node)
    if (is(node, 'ArrayExpression')) return shapeOf('array')
    if (is(node, 'ObjectExpression')) return shapeOf('object')
    if (is(node, 'FunctionExpression', 'ArrowFunctionExpression')) return shapeOf('function')
    if (is(node, 'AwaitExpression')) return this.shape(node.argument)
    if (is(node, 'UnaryExpression')) return this.#unary(node)
    if (is(node, 'UpdateExpression')) return shapeOf('number')
    if (is(node, 'BinaryExpression')) return this.#binary(node)
    if (is(node, 'ConditionalExpression')) {
      return unionOf([this.shape(node.consequent), this.shape(node.alternate)])
    }
    if (is(node, 'LogicalExpression')) return unionOf([ANY, this.shape(node.right)])
    if (is(node, 'SequenceExpression')) {
      const last = node.expressions.at(-1)
      return last === undefined ? ANY : this.shape(last)
    }
    if (is(node, 'NewExpression')) return this.#constructed(node)
    if (is(node, 'CallExpression')) return this.#called(node)
    if (is(node, 'MemberExpression')) return this.#member(node)
    return is(node, 'Identifier') ? this.#named(node) : ANY
  }

  /** Returns the shape of the length of a text or of an array. */
  #member(node: Of<'MemberExpression'>): Shape {
    if (memberName(node) !== 'length') return ANY
    const isCounted = this.shape(node.object).every(({ kind }) => kind === 'string' || kind === 'array')
    return isCounted ? shapeOf('number') : ANY
  }

  #named(node: Of<'Identifier'>): Shape {
    const local = this.#locals.get(node.name)
    if (local !== undefined || !this.#follows) return local ?? ANY
    const value = constantOf(this.#module, node)
    return value.node === node ? ANY : new Expressions(value.module, new Map(), false).shape(value.node)
  }

  #unary({ operator, argument }: Of<'UnaryExpression'>): Shape {
    switch (operator) {
      case '!':
      case 'delete':
        return shapeOf('boolean')
      case 'typeof':
        return shapeOf('string')
      case 'void':
        return shapeOf('undefined')
      default:
        return shapeOf(this.shape(argument)[0]?.kind === 'bigint' ? 'bigint' : 'number')
    }
  }

  #binary({ operator, left, right }: Of<'BinaryExpression'>): Shape {
    if (COMPARISONS.has(operator)) return shapeOf('boolean')
    const sides = [this.shape(left), this.shape(right)]
    if (operator !== '+') return shapeOf(sides[0]?.[0]?.kind === 'bigint' ? 'bigint' : 'number')
    if (sides.some((side) => side.every(({ kind }) => kind === 'string'))) return shapeOf('string')
    return sides.every((side) => side.every(({ kind }) => kind === 'number')) ? shapeOf('number') : ANY
  }

  #constructed({ callee }: Of<'NewExpression'>): Shape {
    if (!is(callee, 'Identifier') || this.#isDeclared(callee.name)) return ANY
    if (callee.name === 'Date') return shapeOf('date')
    return callee.name === 'Array' ? shapeOf('array') : ANY
  }

  #called({ callee }: Of<'CallExpression'>): Shape {
    if (is(callee, 'Identifier')) {
      const kind = Object.hasOwn(GLOBAL_FUNCTIONS, callee.name) ? GLOBAL_FUNCTIONS[callee.name] : undefined
      if (this.#isDeclared(callee.name)) return this.#resultOf(callee)
      return kind === undefined ? ANY : shapeOf(kind)
    }
    if (!is(callee, 'MemberExpression') || !is(callee.object, 'Identifier')) return ANY
    const { name } = callee.object
    if (this.#isDeclared(name)) return ANY
    if (name === 'Math') return shapeOf('number')
    const isTime = name === 'Date' && ['now', 'parse', 'UTC'].includes(memberName(callee) ?? '')
    return isTime ? shapeOf('number') : ANY
  }

  /** Returns the shape that a function of the project declares as its result, awaited; `any` if it is of several kinds. */
  #resultOf(callee: Of<'Identifier'>): Shape {
    if (!this.#follows || this.#locals.has(callee.name)) return ANY
    const meaning = nameIn(this.#module, callee.name)
    if (meaning?.kind !== 'local' || !isFunctionNode(meaning.declaration.node)) return ANY
    const { returnType, typeParameters } = meaning.declaration.node
    if (returnType === undefined || typeParameters !== undefined) return ANY
    const shape = awaitedShape(meaning.module, returnType)
    return new Set(shape.map(({ kind }) => kind)).size === 1 ? shape : ANY
  }

  #isDeclared(name: string): boolean {
    return this.#locals.has(name) || this.#module.declarations.values.has(name)
  }
}

/** Returns true for `value as const` and `<const>value`. */
export function isConstAssertion({
  typeAnnotation: type,
}: Of<'TSAsExpression' | 'TSTypeAssertion'>): boolean {
  return is(type, 'TSTypeReference') && is(type.typeName, 'Identifier') && type.typeName.name === 'const'
}
