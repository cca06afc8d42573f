/**
 * Results of actions that cannot be sent, and results that are not returned.
 *
 * @module
 */
import { FORGOTTEN_FIX, forgottenResult } from '../../../controllers/controller-errors.ts'
import { awaitedShape } from '../annotations.ts'
import type { Finding } from '../finding.ts'
import { expressionsIn } from '../locals.ts'
import { type ControllerModel, type Located, type MethodModel, placeOf } from '../model.ts'
import { isOwnCall } from '../own-calls.ts'
import { formatShape, type Shape, type ShapeKind } from '../shapes.ts'
import { type FunctionNode, is, ownNodes, returnedBy, type SyntaxNode, unwrap } from '../syntax.ts'
import { hasOwnDecorator, isJsonified } from '../wiring.ts'
import type { Project } from './rule.ts'

/** Kinds of values that no response can be made of. */
const UNUSABLE: ReadonlySet<ShapeKind> = new Set(['number', 'boolean', 'bigint', 'symbol', 'date'])

/** Checks what actions return. */
export function* checkResults(model: ControllerModel, { wiring }: Project): Iterable<Finding> {
  for (const { method, routes } of wiring.reached(model)) {
    const { name: action, source } = method
    if (routes.length === 0 || source === undefined || hasOwnDecorator(model, action)) continue
    const isDeclared = model.declaredResult(action) !== undefined || isJsonified(model, action)
    const findings = [
      ...(isDeclared || source.node.generator ? [] : unusableResults(method, source)),
      ...forgottenResults(method, source),
    ]
    yield* findings.map((finding) => ({ ...finding, action }))
  }
}

function unusableResults(
  { label, parameters }: MethodModel,
  { module, node }: Located<FunctionNode>,
): Finding[] {
  const unusable = (at: SyntaxNode, problem: string): Finding => ({
    code: 'result-unusable',
    place: placeOf(module, at),
    message: `${label}() ${problem}, which cannot be sent.`,
    fix: 'Return text, an object or an array (JSON), bytes, a Response or null, or decorate the action with jsonify.',
  })
  const { returnType } = node
  const declared = returnType && unusablePart(awaitedShape(module, returnType))
  if (declared) return [unusable(returnType.typeAnnotation, `declares that it returns ${declared}`)]
  const expressions = expressionsIn({ module, node }, parameters)
  return returnedBy(node).flatMap((expression) => {
    const part = unusablePart(expressions.shape(expression))
    if (part === undefined) return []
    const text = module.text.slice(expression.start, expression.end)
    const shown = text.length > 40 || text.includes('\n') ? '' : ` (${text})`
    return [unusable(expression, `returns ${part}${shown}`)]
  })
}

function unusablePart(shape: Shape): string | undefined {
  const parts = shape.filter(({ kind }) => UNUSABLE.has(kind))
  return parts.length === 0 ? undefined : `a ${formatShape(parts)}`
}

function forgottenResults({ label }: MethodModel, { module, node }: Located<FunctionNode>): Finding[] {
  if (returnedBy(node).length > 0) return []
  return ownNodes(node).flatMap((statement) =>
    is(statement, 'ExpressionStatement') && isRender(statement.expression)
      ? [
          {
            code: 'result-forgotten',
            place: placeOf(module, statement),
            message: `${forgottenResult(label)}.`,
            fix: `${FORGOTTEN_FIX}.`,
          },
        ]
      : [],
  )
}

/** Returns true for `this.render(…)`, awaited or not. */
function isRender(expression: SyntaxNode): boolean {
  const inner = unwrap(expression)
  return isOwnCall(is(inner, 'AwaitExpression') ? unwrap(inner.argument) : inner, 'render')
}
