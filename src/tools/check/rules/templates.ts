/**
 * Templates that do not exist, and routes that templates name and that do not exist.
 *
 * @module
 */
import { similar } from '../../../base/suggest.ts'
import { ClassFunctions } from '../class-functions.ts'
import { didYouMean, type Finding } from '../finding.ts'
import { type ControllerModel, placeOf } from '../model.ts'
import { ownCalls, passesValue } from '../own-calls.ts'
import { literalsOf, type TemplateCall, type TemplateCode, type TemplateFiles } from '../template-files.ts'
import type { Project } from './rule.ts'

/** Checks the names in templates. */
export function* checkTemplates({ wiring, templates }: Project): Iterable<Finding> {
  if (templates === undefined) return
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

/** Checks the names of templates in `this.render()`. */
export function* checkRendering(model: ControllerModel, { templates }: Project): Iterable<Finding> {
  if (templates === undefined) return
  for (const { label, module, call } of ownCalls(model, 'render')) {
    for (const { name, node } of call.arguments[0] === undefined ? [] : literalsOf(call.arguments[0])) {
      const fault = templates.faultOf(name)
      if (fault === undefined) continue
      yield {
        code: 'template-missing',
        place: placeOf(module, node),
        message: `${label}() renders the template ${JSON.stringify(name)}: ${fault.reason}.`,
        fix: didYouMean(fault.meant, CORRECTION),
      }
    }
  }
}

/** Checks the templates in `static pages` and `static prompts` of a controller that does not replace the method `render`. */
export function* checkPages(model: ControllerModel, { templates }: Project): Iterable<Finding> {
  const { classes, className, staticEntries } = model
  if (new ClassFunctions(classes, className).named('render') !== undefined) return
  for (const { record, name: action, text, value } of staticEntries) {
    if (text === undefined || (record !== 'pages' && record !== 'prompts')) continue
    const fault = templates?.faultOf(text)
    if (fault === undefined) continue
    const user = record === 'pages' ? `${action}()` : action
    yield {
      code: 'template-missing',
      place: placeOf(value.module, value.node),
      message: `static ${record} of ${className} names the template ${JSON.stringify(text)} for ${user}: ${fault.reason}.`,
      fix: didYouMean(fault.meant, CORRECTION),
      action,
    }
  }
}

/** Correction of the name of a template. */
const CORRECTION = 'Write the template, or correct the name.'

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
    fix: didYouMean(fault.meant, CORRECTION),
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
    fix: didYouMean(meant, 'Define it, or use the name of a defined route.'),
  }
}
