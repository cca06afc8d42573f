/**
 * Arguments of actions and hooks that no route supplies, and types that they cannot have.
 *
 * @module
 */

import { nearest } from '../../../base/suggest.ts'
import type { ActionDescription } from '../../../controllers/describe.ts'
import {
  MATCH_ARGUMENTS,
  type RequestArgument,
  unsuppliedArgument,
} from '../../../controllers/supplied-arguments.ts'
import { argumentShape, type Descriptions, refusesText } from '../descriptions.ts'
import type { Finding } from '../finding.ts'
import type {
  ArgumentDeclaration,
  ControllerModel,
  ConverterModel,
  MethodModel,
  ParameterModel,
} from '../model.ts'
import type { RouteView } from '../route-view.ts'
import { accepts, formatShape, type Shape, STRING, shapeOf } from '../shapes.ts'
import { hasOwnDecorator, type Wiring } from '../wiring.ts'
import type { Project } from './rule.ts'

/** Types of the arguments from the request. */
const REQUEST_SHAPES: Readonly<Record<Exclude<RequestArgument, typeof ERROR_ARGUMENT>, Shape>> = {
  environ: shapeOf('object'),
  start_response: shapeOf('function'),
  signal: shapeOf('object'),
}

/** Arguments that the framework supplies to every action and hook, by the types that they have. */
const FRAMEWORK_ARGUMENTS: ReadonlyMap<string, Shape> = new Map([
  ...[...MATCH_ARGUMENTS].map((name): [string, Shape] => [name, STRING]),
  ...Object.entries(REQUEST_SHAPES),
])

/** The argument of `__after__` that no other method receives. It may be any thrown value. */
const ERROR_ARGUMENT = 'error'

const HOOKS = ['__before__', '__after__'] as const

/** A method that several controllers may share, and what each of them supplies. */
interface Call {
  readonly model: ControllerModel
  readonly method: MethodModel
  readonly routes: readonly RouteView[]
}

/** Checks the arguments of all actions, hooks and methods that decorators call. */
export function* checkArguments({ wiring, descriptions }: Project): Iterable<Finding> {
  const calls = wiring.models.filter(({ isService }) => !isService).flatMap((model) => callsOf(wiring, model))
  // A method of a base class is wrong only if it is wrong for every controller that inherits it.
  const shared = Map.groupBy(calls, ({ method }) => method.source?.node ?? method)
  for (const group of shared.values()) {
    const found = group.map((call) => [...checkCall(call, descriptions)])
    const [first = []] = found
    const common = first.filter(({ code, argument }) =>
      found.every((findings) => findings.some((other) => other.code === code && other.argument === argument)),
    )
    for (const { model, method } of group.slice(0, 1)) {
      const action = { controller: model.name, action: method.name }
      yield* common.map((finding) => ({ ...finding, ...action, place: finding.place ?? method.place }))
    }
  }
}

function callsOf(wiring: Wiring, model: ControllerModel): Call[] {
  const reached = wiring.reached(model).filter(({ routes }) => routes.length > 0)
  const routes = wiring.routesTo(model.name)
  const hooks = HOOKS.flatMap((name) => model.methods.get(name) ?? [])
  return [
    ...reached.map(({ method, routes: own }) => ({ model, method, routes: own })),
    ...(routes.length === 0 ? [] : hooks.map((method) => ({ model, method, routes }))),
  ]
}

function* checkCall({ model, method, routes }: Call, descriptions: Descriptions): Iterable<Finding> {
  if (hasOwnDecorator(model, method.name)) return
  const declared = model.declaredArguments(method.name)
  yield* checkDeclaration(model, method, declared)
  // Neither the names nor the types of what an overridden _get_method_args returns are known.
  if (model.overridesArguments || method.takesAll || !declared.isComplete) return
  const { names = method.parameters, converters } = declared
  const supplied = suppliedBy(routes)
  for (const [index, parameter] of names.entries()) {
    const { name } = parameter
    const shape = method.parameters[index]?.shape
    const converter = converters.get(name)
    if (converter !== undefined) {
      const action = descriptions.get(model)?.actions.get(method.name)
      yield* checkConverter(model, method, parameter, shape, converter, action)
    } else if (method.name === '__after__' && name === ERROR_ARGUMENT) {
    } else if (FRAMEWORK_ARGUMENTS.has(name)) {
      const given = FRAMEWORK_ARGUMENTS.get(name) ?? STRING
      yield* checkType(method, parameter, shape, given, 'the framework')
    } else if (supplied === undefined || supplied.has(name)) {
      yield* checkType(method, parameter, shape, STRING, 'the match')
    } else {
      yield notSupplied(model, method, parameter, [...supplied, ...converters.keys()])
    }
  }
}

/** Returns the names that at least one of some routes supplies, or undefined if one may supply any. */
function suppliedBy(routes: readonly RouteView[]): ReadonlySet<string> | undefined {
  if (routes.some(({ supplied }) => supplied === undefined)) return undefined
  return new Set(routes.flatMap(({ supplied = [] }) => [...supplied]))
}

function* checkDeclaration(
  { className }: ControllerModel,
  method: MethodModel,
  { converters, isOverridden }: ArgumentDeclaration,
): Iterable<Finding> {
  const names = method.parameters.map(({ name }) => name)
  for (const [name, { place, fault }] of converters) {
    if (fault !== undefined) {
      yield {
        code: 'args-no-schema',
        place,
        message: `static args of ${className} gives "${name}" of ${method.label}() a converter that is not a Standard Schema, but ${fault}.`,
        fix: 'Use a converter of propylon/converters (int, optional(int), …) or a schema of a library.',
        argument: name,
      }
    }
    if (method.takesAll || isOverridden || names.includes(name)) continue
    const meant = nearest(name, names)
    yield {
      code: 'args-unknown',
      place,
      message: `static args of ${className} declares a converter for "${name}", but ${method.label}() has no parameter of that name.`,
      fix: `${meant === undefined ? 'Add' : `Did you mean "${meant}"? Otherwise add`} the parameter, or remove the converter.`,
      argument: name,
    }
  }
}

function* checkConverter(
  { className }: ControllerModel,
  method: MethodModel,
  parameter: ParameterModel,
  shape: Shape | undefined,
  { shape: written, body, place }: ConverterModel,
  action: ActionDescription | undefined,
): Iterable<Finding> {
  const { name } = parameter
  if (body === undefined && refusesText(action, name)) {
    yield {
      code: 'args-no-text',
      place,
      message: `The schema that static args of ${className} has for "${name}" of ${method.label}() takes no text, but values of paths and queries are text.`,
      fix: 'Use a converter of propylon/converters, such as optional(int, 3) or list(string), or a schema that converts text.',
      argument: name,
    }
    return
  }
  const isKnown = written.every(({ kind }) => kind !== 'any')
  const source = body === undefined ? 'its converter' : 'the schema of its body'
  yield* checkType(method, parameter, shape, isKnown ? written : argumentShape(action, name), source)
}

function notSupplied(
  model: ControllerModel,
  method: MethodModel,
  { name, place }: ParameterModel,
  supplied: readonly string[],
): Finding {
  const taken = new Set(method.parameters.map((parameter) => parameter.name))
  const known = [...supplied, ...FRAMEWORK_ARGUMENTS.keys()].filter((other) => !taken.has(other))
  const meant = nearest(name, known)
  const controller = method.name.startsWith('__') ? model.name : undefined
  return {
    code: 'argument-not-supplied',
    place,
    ...unsuppliedArgument(method.label, name, meant, controller),
    argument: name,
  }
}

function* checkType(
  method: MethodModel,
  { name, place }: ParameterModel,
  wanted: Shape | undefined,
  given: Shape,
  source: string,
): Iterable<Finding> {
  if (wanted === undefined || accepts(wanted, given)) return
  const shown = formatShape(wanted.filter(({ kind }) => kind !== 'undefined'))
  yield {
    code: 'argument-type',
    place: method.parameters.find((other) => other.name === name)?.place ?? place,
    message: `${method.label}() declares the argument "${name}" as ${shown || 'undefined'}, but ${source} gives ${formatShape(given)}.`,
    fix: fixOfType(method.name, name, wanted, given, source),
    argument: name,
  }
}

/** Converters of `propylon/converters` by the kind that they make. */
const CONVERTERS: Readonly<Record<string, string>> = {
  number: 'int',
  boolean: 'bool',
  date: 'isoDate',
  array: 'list(…)',
}

function fixOfType(action: string, name: string, wanted: Shape, given: Shape, source: string): string {
  const converter = wanted.map(({ kind }) => CONVERTERS[kind]).find((known) => known !== undefined)
  if (source !== 'the match') return `Declare it as ${formatShape(given)}.`
  if (converter === undefined)
    return `Declare it as string, or convert it: static args = { ${action}: { ${name}: … } }.`
  return `Convert it, static args = { ${action}: { ${name}: ${converter} } } with ${converter.replace('(…)', '')} of propylon/converters, or declare it as string.`
}
