/**
 * `static args`: parameter names and converters, as the source declares them.
 *
 * @module
 */
import { Expressions, GLOBAL_FUNCTIONS } from './expressions.ts'
import { constantOf, meaningOf } from './lookup.ts'
import {
  type ArgumentDeclaration,
  type BodyModel,
  type ConverterModel,
  type Located,
  type NamedText,
  type ParameterModel,
  placeOf,
  textOf,
  UNDECLARED,
  UNKNOWN_ARGUMENTS,
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

/** Returns the properties of an object literal, of a constant or of `Object.freeze(…)`; undefined for other expressions. */
export function propertiesOf(
  from: SourceModule,
  expression: SyntaxNode,
  depth = MAX_DEPTH,
): Properties | undefined {
  const { module, node } = constantOf(from, expression)
  if (is(node, 'CallExpression') && memberName(node.callee) === 'freeze' && node.arguments[0]) {
    return propertiesOf(module, node.arguments[0], depth)
  }
  if (!is(node, 'ObjectExpression') || depth === 0) return undefined
  const entries = new Map<string, Located & { readonly key: Located }>()
  let isComplete = true
  for (const property of node.properties) {
    if (is(property, 'SpreadElement')) {
      const spread = propertiesOf(module, property.argument, depth - 1)
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
export function argumentsOf(from: SourceModule, expression: SyntaxNode): ArgumentDeclaration {
  const { module, node } = constantOf(from, expression)
  if (is(node, 'ArrayExpression')) {
    const names: ParameterModel[] = []
    for (const element of node.elements) {
      const name = stringOf(element)
      if (element === null || name === undefined) return UNKNOWN_ARGUMENTS
      names.push({ name, place: placeOf(module, element) })
    }
    return { ...UNDECLARED, names }
  }
  const properties = propertiesOf(module, node)
  if (properties === undefined) return UNKNOWN_ARGUMENTS
  const converters = new Map(
    [...properties.entries].map(([name, entry]): [string, ConverterModel] => {
      const value = constantOf(entry.module, entry.node)
      const place = placeOf(entry.key.module, entry.key.node)
      const text = textOf(entry.module, entry.node)
      return [name, { shape: output(value), place, text, fault: faultOf(value), body: bodyOf(value) }]
    }),
  )
  return { ...UNDECLARED, converters, isComplete: properties.isComplete }
}

/** Returns the argument that a call of `body()` declares; undefined for converters. */
function bodyOf({ module, node }: Located): BodyModel | undefined {
  if (!is(node, 'CallExpression') || converterName(module, node.callee) !== 'body') return undefined
  const [schema, options] = node.arguments
  if (schema === undefined) return undefined
  const given = options === undefined ? undefined : propertiesOf(module, options)?.entries
  const form = given?.get('form')
  const lists = given?.get('lists')
  const list = lists && constantOf(lists.module, lists.node)
  const names = list && is(list.node, 'ArrayExpression') ? list.node.elements : []
  return {
    schema: { module, node: schema },
    form: form && namedText(form),
    lists: names.flatMap((one) => (list && one && namedText({ module: list.module, node: one })) ?? []),
  }
}

function namedText({ module, node }: Located): NamedText | undefined {
  const name = stringOf(constantOf(module, node).node)
  return name === undefined ? undefined : { name, place: placeOf(module, node) }
}

/** Returns the shape of a converter's values. */
function output({ module, node }: Located): Shape {
  if (is(node, 'CallExpression')) return outputOfCall(module, node.callee, node.arguments)
  const name = converterName(module, node)
  const kind = name !== undefined && Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined
  return kind === undefined ? ANY : shapeOf(kind)
}

/** Returns what an expression is that certainly is not a Standard Schema, or undefined. */
function faultOf({ module, node }: Located): string | undefined {
  if (is(node, 'Literal', 'TemplateLiteral')) return 'a literal'
  if (is(node, 'FunctionExpression', 'ArrowFunctionExpression')) return 'a function'
  const name = converterName(module, node)
  if (name === 'list' || name === 'optional' || name === 'body')
    return `the function ${name}, which is not called`
  if (!is(node, 'Identifier') || module.declarations.values.has(node.name)) return undefined
  return Object.hasOwn(GLOBAL_FUNCTIONS, node.name) || node.name === 'Date' ? node.name : undefined
}

function outputOfCall(
  module: SourceModule,
  callee: SyntaxNode,
  [inner, fallback]: readonly SyntaxNode[],
): Shape {
  const name = converterName(module, callee)
  if (name === 'intBetween') return shapeOf('number')
  if (inner === undefined || (name !== 'list' && name !== 'optional')) return ANY
  const shape = output(constantOf(module, inner))
  if (name === 'list') return shapeOf('array', shape)
  return [
    ...shape,
    ...(fallback === undefined ? shapeOf('undefined') : new Expressions(module).shape(fallback)),
  ]
}

/** Returns the name of an export of `propylon/converters`. */
function converterName(module: SourceModule, node: SyntaxNode): string | undefined {
  const meaning = meaningOf(module, node)
  return meaning?.kind === 'external' && meaning.from === 'propylon/converters' ? meaning.name : undefined
}
