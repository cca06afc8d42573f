/**
 * `static args`: parameter names and converters, as the source declares them.
 *
 * @module
 */
import type { Annotations } from './annotations.ts'
import { Expressions, GLOBAL_FUNCTIONS } from './expressions.ts'
import type { Lookup } from './lookup.ts'
import {
  type ArgumentDeclaration,
  type BodyModel,
  type ConverterModel,
  type Located,
  type NamedText,
  type ParameterModel,
  placeOf,
  textOf,
} from './model.ts'
import type { SourceModule } from './modules.ts'
import { ANY, type Shape, type ShapeKind, shapeOf } from './shapes.ts'
import { is, keyName, memberName, type SyntaxNode, stringOf } from './syntax.ts'

/** Types that the converters of `propylon/converters` return. */
const OUTPUTS: Readonly<Record<string, ShapeKind>> = {
  string: 'string',
  int: 'number',
  number: 'number',
  bool: 'boolean',
  uuid: 'string',
  slug: 'string',
  isoDate: 'date',
}

/** The properties of an object, with the properties of spread objects. */
export interface Properties {
  readonly entries: ReadonlyMap<string, Located & { readonly key: Located }>
  /** False if it may have further properties. */
  readonly isComplete: boolean
}

/** Maximum depth of spread objects. */
const MAX_DEPTH = 5

/** Reads objects that are written out in the source. */
export class StaticRecords {
  readonly #lookup: Lookup
  readonly #annotations: Annotations

  constructor(lookup: Lookup, annotations: Annotations) {
    this.#lookup = lookup
    this.#annotations = annotations
  }

  /** Returns the properties of an object literal, of a constant or of `Object.freeze(…)`; undefined for other expressions. */
  properties(from: SourceModule, expression: SyntaxNode, depth = MAX_DEPTH): Properties | undefined {
    const { module, node } = this.#lookup.value(from, expression)
    if (is(node, 'CallExpression') && memberName(node.callee) === 'freeze' && node.arguments[0]) {
      return this.properties(module, node.arguments[0], depth)
    }
    if (!is(node, 'ObjectExpression') || depth === 0) return undefined
    const entries = new Map<string, Located & { readonly key: Located }>()
    let isComplete = true
    for (const property of node.properties) {
      if (is(property, 'SpreadElement')) {
        const spread = this.properties(module, property.argument, depth - 1)
        for (const [name, entry] of spread?.entries ?? []) entries.set(name, entry)
        isComplete &&= spread?.isComplete ?? false
        continue
      }
      const name = is(property, 'Property') ? keyName(property.key, property.computed) : undefined
      if (!is(property, 'Property') || name === undefined) {
        isComplete = false
        continue
      }
      entries.set(name, { module, node: property.value, key: { module, node: property.key } })
    }
    return { entries, isComplete }
  }

  /** Reads the declaration of one method: names, or converters by name. */
  declaration(from: SourceModule, expression: SyntaxNode): ArgumentDeclaration {
    const { module, node } = this.#lookup.value(from, expression)
    if (is(node, 'ArrayExpression')) {
      const names: ParameterModel[] = []
      for (const element of node.elements) {
        const name = stringOf(element)
        if (element === null || name === undefined) return { kind: 'unknown' }
        names.push({ name, place: placeOf(module, element), shape: undefined })
      }
      return { kind: 'names', names }
    }
    const properties = this.properties(module, node)
    if (properties === undefined) return { kind: 'unknown' }
    const converters = new Map(
      [...properties.entries].map(([name, entry]): [string, ConverterModel] => [
        name,
        {
          shape: this.#output(entry.module, entry.node),
          place: placeOf(entry.key.module, entry.key.node),
          fault: this.#fault(entry.module, entry.node),
          text: textOf(entry.module, entry.node),
          body: this.#body(entry.module, entry.node),
        },
      ]),
    )
    return { kind: 'converters', converters, isComplete: properties.isComplete, isOverridden: false }
  }

  /** Returns the argument that a call of `body()` declares; undefined for converters. */
  #body(from: SourceModule, expression: SyntaxNode): BodyModel | undefined {
    const { module, node } = this.#lookup.value(from, expression)
    if (!is(node, 'CallExpression') || this.#converterName(module, node.callee) !== 'body') return undefined
    const [schema, options] = node.arguments
    if (schema === undefined) return undefined
    const given = options === undefined ? undefined : this.properties(module, options)?.entries
    const form = given?.get('form')
    const lists = given?.get('lists')
    const list = lists && this.#lookup.value(lists.module, lists.node)
    const names = list && is(list.node, 'ArrayExpression') ? list.node.elements : []
    return {
      schema: { module, node: schema },
      form: form && this.#text(form),
      lists: names.flatMap((one) => (list && one && this.#text({ module: list.module, node: one })) ?? []),
    }
  }

  #text({ module, node }: Located): NamedText | undefined {
    const name = stringOf(this.#lookup.value(module, node).node)
    return name === undefined ? undefined : { name, place: placeOf(module, node) }
  }

  /** Returns the shape of a converter's values. */
  #output(from: SourceModule, expression: SyntaxNode): Shape {
    const { module, node } = this.#lookup.value(from, expression)
    const called = is(node, 'CallExpression')
      ? this.#called(module, node.callee, node.arguments)
      : this.#named(module, node)
    return called ?? ANY
  }

  #named(module: SourceModule, node: SyntaxNode): Shape | undefined {
    const name = this.#converterName(module, node)
    const kind = name === undefined || !Object.hasOwn(OUTPUTS, name) ? undefined : OUTPUTS[name]
    return kind && shapeOf(kind)
  }

  /** Returns what an expression is that certainly is not a Standard Schema, or undefined. */
  #fault(from: SourceModule, expression: SyntaxNode): string | undefined {
    const { module, node } = this.#lookup.value(from, expression)
    if (is(node, 'Literal', 'TemplateLiteral')) return 'a literal'
    if (is(node, 'FunctionExpression', 'ArrowFunctionExpression')) return 'a function'
    const name = this.#converterName(module, node)
    if (name === 'list' || name === 'optional' || name === 'body')
      return `the function ${name}, which is not called`
    if (!is(node, 'Identifier') || module.declarations.values.has(node.name)) return undefined
    return Object.hasOwn(GLOBAL_FUNCTIONS, node.name) || node.name === 'Date' ? node.name : undefined
  }

  #called(
    module: SourceModule,
    callee: SyntaxNode,
    [inner, fallback]: readonly SyntaxNode[],
  ): Shape | undefined {
    const name = this.#converterName(module, callee)
    if (name === 'intBetween') return shapeOf('number')
    if (inner === undefined || (name !== 'list' && name !== 'optional')) return undefined
    const shape = this.#output(module, inner)
    if (name === 'list') return shapeOf('array', shape)
    return [
      ...shape,
      ...(fallback === undefined
        ? shapeOf('undefined')
        : new Expressions(module, this.#annotations, this.#lookup).shape(fallback)),
    ]
  }

  /** Returns the name of an export of `propylon/converters`. */
  #converterName(module: SourceModule, node: SyntaxNode): string | undefined {
    const meaning = this.#lookup.expression(module, node)
    return meaning?.kind === 'external' && meaning.from === 'propylon/converters' ? meaning.name : undefined
  }
}
