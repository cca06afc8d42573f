/**
 * Decorators of missing methods, options of decorators that name missing methods, and their request methods.
 *
 * @module
 */
import type { Finding } from '../finding.ts'
import { type ControllerModel, type Decoration, placeOf } from '../model.ts'
import { objectEntries, type SyntaxNode, stringOf } from '../syntax.ts'
import type { Wiring } from '../wiring.ts'
import { methodFault } from './methods.ts'
import type { Project } from './rule.ts'
import { missingForm, missingMethod } from './targets.ts'

/** Checks the decorators of all methods. */
export function* checkDecorators(model: ControllerModel, { wiring }: Project): Iterable<Finding> {
  for (const { method, place, decorations } of model.decorated) {
    const fault = missingMethod(model, method)
    const findings: Finding[] = decorations.flatMap((decoration) => [
      ...checkDecoration(wiring, model, `${model.className}.${method}()`, decoration),
    ])
    if (fault !== undefined) {
      const message = `decorate() names ${fault.problem}.`
      findings.push({ code: 'decorated-method-missing', place, message, fix: fault.fix })
    }
    yield* findings.map((finding) => ({ ...finding, action: method }))
  }
}

function* checkDecoration(
  wiring: Wiring,
  model: ControllerModel,
  label: string,
  { decorator, arguments: given, module }: Decoration,
): Iterable<Finding> {
  const [first, second] = given
  const target = (node: SyntaxNode, option: string, isForm: boolean): Finding[] => {
    const name = stringOf(node)
    if (name === undefined) return []
    const fault = isForm ? missingForm(wiring, model, name) : missingMethod(model, name)
    if (fault === undefined) return []
    const message = `${decorator}({ ${option}: '${name}' }) of ${label} names ${fault.problem}.`
    return [{ code: 'decorator-method-missing', place: placeOf(module, node), message, fix: fault.fix }]
  }
  const requestMethod = (node: SyntaxNode, method: string | undefined): Finding[] => {
    const fix = method === undefined ? undefined : methodFault(method)
    if (fix === undefined) return []
    const message = `${decorator}() of ${label} has the request method "${method}".`
    return [{ code: 'method-case', place: placeOf(module, node), message, fix }]
  }
  if (decorator === 'validate') {
    const form = objectEntries(second)?.entries.get('form')
    if (form !== undefined) yield* target(form.value, 'form', true)
  }
  if (decorator === 'dispatchOn') {
    for (const [name, { key, value }] of objectEntries(first)?.entries ?? []) {
      yield* target(value, name, false)
      yield* requestMethod(key, name)
    }
  }
  if (decorator === 'restrict') {
    for (const argument of given) yield* requestMethod(argument, stringOf(argument))
  }
}
