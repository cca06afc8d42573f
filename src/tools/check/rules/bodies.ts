/**
 * Arguments that are the body of the request: `body()` in `static args`.
 *
 * @module
 */
import { isRead } from '../../../base/methods.ts'
import { nearest } from '../../../base/suggest.ts'
import { didYouMean, type Finding } from '../finding.ts'
import type { ControllerModel, MethodModel, NamedText } from '../model.ts'
import { schemaShape } from '../schema-shapes.ts'
import { bodiesOf, type DeclaredBody } from '../wiring.ts'
import type { Project } from './rule.ts'
import { missingForm } from './targets.ts'

/** Checks the bodies of all actions. */
export function* checkBodies(model: ControllerModel, project: Project): Iterable<Finding> {
  for (const method of model.methods.values()) {
    const bodies = bodiesOf(model, method.name)
    for (const body of bodies) {
      const findings = [
        ...checkRepeated(model, method, body, bodies),
        ...checkForm(model, method, body, project),
        ...checkLists(model, method, body, project),
        ...checkMethods(model, method, body, project),
      ]
      const subject = { action: method.name, argument: body.name }
      yield* findings.map((finding) => ({ ...finding, ...subject, place: finding.place ?? method.place }))
    }
  }
}

function* checkRepeated(
  { className }: ControllerModel,
  method: MethodModel,
  body: DeclaredBody,
  [first, second]: readonly DeclaredBody[],
): Iterable<Finding> {
  if (body !== second) return
  yield {
    code: 'body-repeated',
    place: body.place,
    message: `static args of ${className} declares both "${first?.name}" and "${body.name}" of ${method.label}() with body().`,
    fix: 'A request has one body: keep one of them, with a schema of all fields.',
  }
}

function* checkForm(
  model: ControllerModel,
  method: MethodModel,
  { body: { form } }: DeclaredBody,
  { wiring }: Project,
): Iterable<Finding> {
  const fault = form && missingForm(wiring, model, form.name)
  if (fault === undefined) return
  yield {
    code: 'body-form-missing',
    place: form?.place,
    message: `body({ form: '${form?.name}' }) of ${method.label}() names ${fault.problem}.`,
    fix: fault.fix,
  }
}

function* checkLists(
  model: ControllerModel,
  method: MethodModel,
  { body: { lists } }: DeclaredBody,
  { descriptions }: Project,
): Iterable<Finding> {
  const schema = descriptions.get(model)?.actions.get(method.name)?.body?.declaration.schema
  if (schema === undefined || lists.length === 0) return
  const [object, ...others] = schemaShape(schema, 'input')
  if (object?.fields === undefined || others.length > 0) return
  const { fields, isComplete = false } = object
  const finding = ({ name, place }: NamedText, problem: string, fix: string): Finding => ({
    code: 'body-list',
    place,
    message: `body({ lists }) of ${method.label}() names the field "${name}", ${problem}.`,
    fix,
  })
  for (const list of lists) {
    const field = fields.get(list.name)
    if (field === undefined && isComplete) {
      const fix = didYouMean(nearest(list.name, fields.keys()), 'Remove the name, or add the field.')
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
  { wiring }: Project,
): Iterable<Finding> {
  if (method.name.startsWith('_')) return
  const routes = wiring.routesTo(model.name).filter((route) => route.runs(method.name))
  const [first] = routes
  const isBodiless = routes.every(({ route }) => route.methods?.every(isRead) === true)
  if (first === undefined || !isBodiless) return
  yield {
    code: 'body-unread',
    place,
    message: `${method.label}() takes "${name}" from the body, but ${first.label} gives it GET requests only, whose body is not read.`,
    fix: "Give the route the method POST, PUT, PATCH or DELETE: { conditions: { method: 'POST' } }.",
  }
}
