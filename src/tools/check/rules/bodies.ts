/**
 * Arguments that are the body of the request: `body()` in `static args`.
 *
 * @module
 */
import { nearest } from '../../../base/suggest.ts'
import type { Descriptions } from '../descriptions.ts'
import type { Finding } from '../finding.ts'
import type { ControllerModel, MethodModel, NamedText } from '../model.ts'
import type { RouteView } from '../route-view.ts'
import { schemaShape } from '../schema-shapes.ts'
import { bodiesOf, type DeclaredBody, type Wiring } from '../wiring.ts'
import { missingForm } from './targets.ts'

/** Methods whose requests have no body that an action reads. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Checks the bodies of all actions. */
export function* checkBodies(wiring: Wiring, descriptions: Descriptions): Iterable<Finding> {
  for (const model of wiring.models) {
    if (model.isService) continue
    const routes = wiring.routesTo(model.name)
    for (const method of model.methods.values()) {
      const bodies = bodiesOf(model, method.name)
      const [first, second] = bodies
      if (first !== undefined && second !== undefined) yield repeated(model, method, first, second)
      for (const body of bodies) {
        yield* checkForm(wiring, model, method, body)
        yield* checkLists(model, method, body, descriptions)
      }
      if (first !== undefined && !method.name.startsWith('_'))
        yield* checkMethods(model, method, first, routes)
    }
  }
}

function repeated(
  model: ControllerModel,
  method: MethodModel,
  first: DeclaredBody,
  { name, place }: DeclaredBody,
): Finding {
  return {
    code: 'body-repeated',
    place: place ?? method.place,
    message: `static args of ${model.className} declares both "${first.name}" and "${name}" of ${method.label}() with body().`,
    fix: 'A request has one body: keep one of them, with a schema of all fields.',
    controller: model.name,
    action: method.name,
    argument: name,
  }
}

function* checkForm(
  wiring: Wiring,
  model: ControllerModel,
  method: MethodModel,
  { name, body: { form } }: DeclaredBody,
): Iterable<Finding> {
  if (form === undefined) return
  const fault = missingForm(wiring, model, form.name)
  if (fault === undefined) return
  yield {
    code: 'body-form-missing',
    place: form.place ?? method.place,
    message: `body({ form: '${form.name}' }) of ${method.label}() names ${fault.problem}.`,
    fix: fault.fix,
    controller: model.name,
    action: method.name,
    argument: name,
  }
}

function* checkLists(
  model: ControllerModel,
  method: MethodModel,
  { name, body: { lists } }: DeclaredBody,
  descriptions: Descriptions,
): Iterable<Finding> {
  const schema = descriptions.get(model)?.actions.get(method.name)?.body?.declaration.schema
  if (schema === undefined || lists.length === 0) return
  const [object, ...others] = schemaShape(schema, 'input')
  if (object?.fields === undefined || others.length > 0) return
  const { fields, isComplete = false } = object
  const finding = (list: NamedText, problem: string, fix: string): Finding => ({
    code: 'body-list',
    place: list.place ?? method.place,
    message: `body({ lists }) of ${method.label}() names the field "${list.name}", ${problem}.`,
    fix,
    controller: model.name,
    action: method.name,
    argument: name,
  })
  for (const list of lists) {
    const field = fields.get(list.name)
    if (field === undefined && isComplete) {
      const meant = nearest(list.name, fields.keys())
      const fix = meant === undefined ? 'Remove the name, or add the field.' : `Did you mean "${meant}"?`
      yield finding(list, 'which the schema does not have', fix)
    }
    if (field?.shape.every(({ kind }) => kind !== 'array' && kind !== 'any')) {
      yield finding(
        list,
        'which is not an array in the schema',
        'Remove the name, or make the field an array.',
      )
    }
  }
}

/** Reports an action with a body that routes reach with GET and HEAD only, so that the body never arrives. */
function* checkMethods(
  model: ControllerModel,
  method: MethodModel,
  { name, place }: DeclaredBody,
  routes: readonly RouteView[],
): Iterable<Finding> {
  const own = routes.filter((route) => route.runs(method.name))
  if (own.length === 0) return
  if (!own.every(({ route }) => route.methods?.every((one) => BODILESS.has(one)) === true)) return
  yield {
    code: 'body-unread',
    place: place ?? method.place,
    message: `${method.label}() takes "${name}" from the body, but ${own[0]?.label} gives it GET requests only, whose body is not read.`,
    fix: "Give the route the method POST, PUT, PATCH or DELETE: { conditions: { method: 'POST' } }.",
    controller: model.name,
    action: method.name,
    argument: name,
  }
}
