/**
 * Templates that do not exist, and routes that templates name and that do not exist.
 *
 * @module
 */
import { similar } from '../../../base/suggest.ts'
import { ClassFunctions } from '../class-functions.ts'
import type { Finding } from '../finding.ts'
import { type ControllerModel, placeOf } from '../model.ts'
import { ownCalls, passesValue } from '../own-calls.ts'
import { literalsOf, type TemplateCall, type TemplateCode, type TemplateFiles } from '../template-files.ts'
import type { Wiring } from '../wiring.ts'

/** Checks the names of templates in `render()`, and the names in templates. */
export function* checkTemplates(wiring: Wiring, templates: TemplateFiles): Iterable<Finding> {
  for (const model of wiring.models) {
    yield* checkRendering(model, templates)
    yield* checkPages(model, templates)
  }
  const names = wiring.mapper.routes.flatMap(({ name }) => name ?? [])
  const all = [...templates.code()]
  const isReplaced =
    all.some(({ replaces }) => replaces.has('url')) ||
    wiring.models.some((model) => passesValue(model, 'url'))
  for (const code of all) {
    for (const call of code.calls) {
      if (call.kind === 'template') yield* missing(call, templates, code)
      else if (call.kind === 'route' && !isReplaced) yield* unknownRoute(call, names)
    }
  }
}

function* checkRendering(model: ControllerModel, templates: TemplateFiles): Iterable<Finding> {
  for (const { label, module, call } of ownCalls(model, 'render')) {
    for (const { name, node } of call.arguments[0] === undefined ? [] : literalsOf(call.arguments[0])) {
      const fault = templates.faultOf(name)
      if (fault === undefined) continue
      yield {
        code: 'template-missing',
        place: placeOf(module, node),
        message: `${label}() renders the template ${JSON.stringify(name)}: ${fault.reason}.`,
        fix: correction(fault.meant),
        controller: model.name,
      }
    }
  }
}

/** Checks the templates in `static pages` and `static prompts` of a controller that does not replace the method `render`. */
function* checkPages(model: ControllerModel, templates: TemplateFiles): Iterable<Finding> {
  const { classes, className, isService, staticEntries } = model
  if (isService || new ClassFunctions(classes, className).named('render') !== undefined) return
  for (const { record, name: action, text, value } of staticEntries) {
    const isTemplate = record === 'pages' || record === 'prompts'
    const fault = isTemplate && text !== undefined ? templates.faultOf(text) : undefined
    if (fault === undefined) continue
    const user = record === 'pages' ? `${action}()` : action
    yield {
      code: 'template-missing',
      place: placeOf(value.module, value.node),
      message: `static ${record} of ${className} names the template ${JSON.stringify(text)} for ${user}: ${fault.reason}.`,
      fix: correction(fault.meant),
      controller: model.name,
      action,
    }
  }
}

function correction(meant: string | undefined): string {
  return meant === undefined ? 'Write the template, or correct the name.' : `Did you mean "${meant}"?`
}

function* missing(
  { name, place }: TemplateCall,
  templates: TemplateFiles,
  { file }: TemplateCode,
): Iterable<Finding> {
  const fault = templates.faultOf(name, file)
  if (fault === undefined) return
  yield {
    code: 'template-missing',
    place,
    message: `${file} names the template ${JSON.stringify(name)}: ${fault.reason}.`,
    fix: correction(fault.meant),
  }
}

function* unknownRoute({ name, place }: TemplateCall, names: readonly string[]): Iterable<Finding> {
  // A path or an address is not a name.
  if (names.includes(name) || /^(?:\/|[a-z][a-z\d+.-]*:)/i.test(name)) return
  const meant = similar(name, names)
  yield {
    code: 'template-route-unknown',
    place,
    message: `it.url() names the route "${name}", which does not exist.`,
    fix: meant === undefined ? 'Define it, or use the name of a defined route.' : `Did you mean "${meant}"?`,
  }
}
