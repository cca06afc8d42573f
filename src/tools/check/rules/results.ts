/**
 * Results of actions that cannot be sent, and results that are not returned.
 *
 * @module
 */
import type { Annotations } from '../annotations.ts'
import type { Finding } from '../finding.ts'
import { expressionsIn } from '../locals.ts'
import type { Lookup } from '../lookup.ts'
import { type ControllerModel, type MethodModel, placeOf } from '../model.ts'
import { formatShape, type Shape, type ShapeKind } from '../shapes.ts'
import { is, memberName, ownNodes, type SyntaxNode, unwrap } from '../syntax.ts'
import { isJsonified, type Wiring } from '../wiring.ts'
import { hasOwnDecorator } from './arguments.ts'

/** Kinds of values that no response can be made of. */
const UNUSABLE: ReadonlySet<ShapeKind> = new Set(['number', 'boolean', 'bigint', 'symbol', 'date'])

/** Checks what actions return. */
export function* checkResults(wiring: Wiring, annotations: Annotations, lookup: Lookup): Iterable<Finding> {
  for (const model of wiring.models) {
    if (model.isService) continue
    for (const { method, routes } of wiring.reached(model)) {
      if (routes.length === 0 || method.source === undefined || hasOwnDecorator(model, method)) continue
      const nodes = ownNodes(method.source.node)
      const isDeclared = model.declaredResult(method.name) !== undefined
      if (!isDeclared && !isJsonified(model, method.name))
        yield* checkReturns(model, method, nodes, annotations, lookup)
      yield* checkForgotten(model, method, nodes)
    }
  }
}

function* checkReturns(
  model: ControllerModel,
  method: MethodModel,
  nodes: readonly SyntaxNode[],
  annotations: Annotations,
  lookup: Lookup,
): Iterable<Finding> {
  if (method.source === undefined) return
  const { module, node } = method.source
  if (node.generator) return
  if (node.returnType !== undefined) {
    const unusable = unusablePart(annotations.awaited(module, node.returnType))
    if (unusable !== undefined) {
      yield unusableResult(
        model,
        method,
        node.returnType.typeAnnotation,
        `declares that it returns ${unusable}`,
      )
      return
    }
  }
  const expressions = expressionsIn(method.source, method.parameters, annotations, lookup)
  for (const statement of nodes) {
    if (!is(statement, 'ReturnStatement') || statement.argument === null) continue
    const unusable = unusablePart(expressions.shape(statement.argument))
    if (unusable !== undefined) {
      const text = module.text.slice(statement.argument.start, statement.argument.end)
      const shown = text.length > 40 || text.includes('\n') ? '' : ` (${text})`
      yield unusableResult(model, method, statement.argument, `returns ${unusable}${shown}`)
    }
  }
}

function unusablePart(shape: Shape): string | undefined {
  const parts = shape.filter(({ kind }) => UNUSABLE.has(kind))
  return parts.length === 0 ? undefined : `a ${formatShape(parts)}`
}

function unusableResult(
  model: ControllerModel,
  method: MethodModel,
  node: SyntaxNode,
  problem: string,
): Finding {
  return {
    code: 'result-unusable',
    place: method.source && placeOf(method.source.module, node),
    message: `${method.label}() ${problem}, which cannot be sent.`,
    fix: 'Return text, an object or an array (JSON), bytes, a Response or null, or decorate the action with jsonify.',
    controller: model.name,
    action: method.name,
  }
}

function* checkForgotten(
  model: ControllerModel,
  method: MethodModel,
  nodes: readonly SyntaxNode[],
): Iterable<Finding> {
  if (method.source === undefined) return
  const { module, node } = method.source
  if (!is(node.body, 'BlockStatement')) return
  if (nodes.some((inner) => is(inner, 'ReturnStatement') && inner.argument !== null)) return
  for (const statement of nodes) {
    if (!is(statement, 'ExpressionStatement') || !isRender(statement.expression)) continue
    yield {
      code: 'result-forgotten',
      place: placeOf(module, statement),
      message: `${method.label}() renders a template, but returns nothing.`,
      fix: 'Write return before this.render(…).',
      controller: model.name,
      action: method.name,
    }
  }
}

/** Returns true for `this.render(…)`, awaited or not. */
function isRender(expression: SyntaxNode): boolean {
  const inner = unwrap(expression)
  const call = is(inner, 'AwaitExpression') ? unwrap(inner.argument) : inner
  return (
    is(call, 'CallExpression') &&
    is(call.callee, 'MemberExpression') &&
    is(call.callee.object, 'ThisExpression') &&
    memberName(call.callee) === 'render'
  )
}
