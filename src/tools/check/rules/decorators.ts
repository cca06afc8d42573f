/**
 * Decorators of missing methods, options of decorators that name missing methods, and their request methods.
 *
 * @module
 */
import { nearest } from '../../../base/suggest.ts'
import type { Finding } from '../finding.ts'
import { type ControllerModel, type Decorated, type Decoration, type Place, placeOf } from '../model.ts'
import { objectEntries, type SyntaxNode, stringOf } from '../syntax.ts'
import type { Wiring } from '../wiring.ts'
import { methodFault } from './methods.ts'

/** Checks the decorators of all methods. */
export function* checkDecorators(wiring: Wiring): Iterable<Finding> {
  for (const model of wiring.models) {
    for (const decorated of model.decorated) {
      if (model.isComplete && !model.methods.has(decorated.method)) {
        yield missingMethod(model, decorated.place, decorated.method, {
          code: 'decorated-method-missing',
          message: `decorate() names the method "${decorated.method}", which ${model.className} does not have.`,
          action: decorated.method,
        })
      }
      for (const decoration of decorated.decorations) yield* checkDecoration(model, decorated, decoration)
    }
  }
}

function* checkDecoration(
  model: ControllerModel,
  { method }: Decorated,
  decoration: Decoration,
): Iterable<Finding> {
  const { decorator, arguments: given } = decoration
  const [first, second] = given
  if (decorator === 'validate') {
    const form = objectEntries(second)?.entries.get('form')
    if (form !== undefined) yield* checkTarget(model, method, decoration, form.value, 'form')
  }
  if (decorator === 'dispatchOn') {
    for (const [name, { key, value }] of objectEntries(first)?.entries ?? []) {
      yield* checkTarget(model, method, decoration, value, name)
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
  model: ControllerModel,
  action: string,
  { decorator, module }: Decoration,
  node: SyntaxNode,
  option: string,
): Iterable<Finding> {
  const name = stringOf(node)
  if (name === undefined || !model.isComplete || model.methods.has(name)) return
  yield missingMethod(model, placeOf(module, node), name, {
    code: 'decorator-method-missing',
    message: `${decorator}({ ${option}: '${name}' }) of ${model.className}.${action}() names the method "${name}", which ${model.className} does not have.`,
    action,
  })
}

function missingMethod(
  model: ControllerModel,
  place: Place,
  name: string,
  finding: Pick<Finding, 'code' | 'message' | 'action'>,
): Finding {
  const meant = nearest(name, model.methods.keys())
  return {
    ...finding,
    place,
    fix: meant === undefined ? 'Write the method, or correct the name.' : `Did you mean "${meant}"?`,
    controller: model.name,
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
