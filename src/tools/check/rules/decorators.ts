/**
 * Decorators of missing methods, options of decorators that name missing methods, and their request methods.
 *
 * @module
 */
import type { Finding } from '../finding.ts'
import { type ControllerModel, type Decorated, type Decoration, placeOf } from '../model.ts'
import { objectEntries, type SyntaxNode, stringOf } from '../syntax.ts'
import type { Wiring } from '../wiring.ts'
import { methodFault } from './methods.ts'
import { missingForm, missingMethod } from './targets.ts'

/** Checks the decorators of all methods. */
export function* checkDecorators(wiring: Wiring): Iterable<Finding> {
  for (const model of wiring.models) {
    for (const decorated of model.decorated) {
      const fault = missingMethod(model, decorated.method)
      if (fault !== undefined) {
        yield {
          code: 'decorated-method-missing',
          place: decorated.place,
          message: `decorate() names ${fault.problem}.`,
          fix: fault.fix,
          controller: model.name,
          action: decorated.method,
        }
      }
      for (const decoration of decorated.decorations) {
        yield* checkDecoration(wiring, model, decorated, decoration)
      }
    }
  }
}

function* checkDecoration(
  wiring: Wiring,
  model: ControllerModel,
  { method }: Decorated,
  decoration: Decoration,
): Iterable<Finding> {
  const { decorator, arguments: given } = decoration
  const [first, second] = given
  if (decorator === 'validate') {
    const form = objectEntries(second)?.entries.get('form')
    if (form !== undefined) yield* checkTarget(wiring, model, method, decoration, form.value, 'form')
  }
  if (decorator === 'dispatchOn') {
    for (const [name, { key, value }] of objectEntries(first)?.entries ?? []) {
      yield* checkTarget(wiring, model, method, decoration, value, name)
      yield* checkRequestMethod(model, method, decoration, key, name)
    }
  }
  if (decorator === 'restrict') {
    for (const argument of given) {
      const name = stringOf(argument)
      if (name !== undefined) yield* checkRequestMethod(model, method, decoration, argument, name)
    }
  }
}

function* checkTarget(
  wiring: Wiring,
  model: ControllerModel,
  action: string,
  { decorator, module }: Decoration,
  node: SyntaxNode,
  option: string,
): Iterable<Finding> {
  const name = stringOf(node)
  if (name === undefined) return
  const fault = option === 'form' ? missingForm(wiring, model, name) : missingMethod(model, name)
  if (fault === undefined) return
  yield {
    code: 'decorator-method-missing',
    place: placeOf(module, node),
    message: `${decorator}({ ${option}: '${name}' }) of ${model.className}.${action}() names ${fault.problem}.`,
    fix: fault.fix,
    controller: model.name,
    action,
  }
}

function* checkRequestMethod(
  model: ControllerModel,
  action: string,
  { decorator, module }: Decoration,
  node: SyntaxNode,
  method: string,
): Iterable<Finding> {
  const fault = methodFault(method)
  if (fault === undefined) return
  yield {
    code: 'method-case',
    place: placeOf(module, node),
    message: `${decorator}() of ${model.className}.${action}() has the request method "${method}".`,
    fix: fault,
    controller: model.name,
    action,
  }
}
