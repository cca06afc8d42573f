/**
 * The arguments, hooks, decorators and guards of the actions that routes lead to.
 *
 * @module
 */
import type { TableRow } from '../routing/diagnose.ts'
import type { ControllerModel, Decoration, MethodModel } from './model.ts'
import { RouteView } from './route-view.ts'
import { actionsOf, type Wiring } from './wiring.ts'

/** Decorators of the framework that can refuse a request. Those of the application may, too. */
const REFUSING: ReadonlySet<string | undefined> = new Set([
  'authenticateForm',
  'https',
  'restrict',
  'validate',
  undefined,
])

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A route with what runs before its action. */
export interface GuardedRoute extends TableRow {
  /** The arguments of the action with their converters; empty if the path says the action. */
  readonly arguments: readonly { readonly name: string; readonly converter: string | null }[]
  readonly hooks: readonly string[]
  readonly decorators: readonly string[]
  /** The hooks and decorators that can refuse a request. */
  readonly guards: readonly string[]
  /** Whether POST, PUT, PATCH or DELETE reach the action without a guard. False if the path says the action. */
  readonly unguarded: boolean
}

/** An action without a guard. */
export interface UnguardedAction {
  /** Controller and action: `users.delete`. */
  readonly label: string
  /** The unsafe methods that routes to it name. Empty if it is only reached by routes for any method. */
  readonly methods: readonly string[]
}

/** Returns all routes in order, without static ones. */
export function guardedRoutes(wiring: Wiring): GuardedRoute[] {
  const routes = wiring.mapper.routes.filter((route) => !route.static)
  return wiring.mapper.table().map((row, index) => {
    const route = routes[index]
    const view = route && route.redirect === undefined ? new RouteView(route) : undefined
    const entry = view?.controller === undefined ? undefined : wiring.entries.get(view.controller)
    const model = entry?.kind === 'class' ? entry.model : undefined
    const method =
      view?.action === undefined ? undefined : model?.methods.get(view.action.replaceAll('-', '_'))
    const decorations = model === undefined || method === undefined ? [] : decorationsOf(model, method)
    const guards = model === undefined ? [] : guardsOf(model, decorations)
    const isUnsafe = row.methods === null || UNSAFE.some((unsafe) => row.methods?.includes(unsafe))
    const isKnown = model?.isService === true || method !== undefined
    return {
      ...row,
      arguments:
        model === undefined || method === undefined || model.isService ? [] : argumentsOf(model, method),
      hooks: model === undefined ? [] : hooksOf(model),
      decorators: decorations.map(({ text }) => text),
      guards,
      unguarded: isKnown && isUnsafe && guards.length === 0,
    }
  })
}

/** Returns the actions that unsafe methods reach and that have no guard. */
export function unguardedActions(wiring: Wiring): UnguardedAction[] {
  return wiring.models.flatMap((model) => {
    const routes = wiring.routesTo(model.name)
    if (model.isService)
      return isGuarded(model, []) || routes.length === 0 ? [] : [{ label: model.name, methods: ['POST'] }]
    return actionsOf(model).flatMap((name) => {
      const method = model.methods.get(name)
      const reaching = routes.filter((route) => route.runs(name))
      if (method === undefined || isGuarded(model, decorationsOf(model, method))) return []
      const methods = UNSAFE.filter((unsafe) => reaching.some(({ route }) => route.methods?.includes(unsafe)))
      const isReached = methods.length > 0 || reaching.some(({ route }) => route.methods === null)
      return isReached ? [{ label: `${model.name}.${name}`, methods }] : []
    })
  })
}

function isGuarded(model: ControllerModel, decorations: readonly Decoration[]): boolean {
  return guardsOf(model, decorations).length > 0
}

function guardsOf(model: ControllerModel, decorations: readonly Decoration[]): string[] {
  const refusing = decorations.filter(({ decorator }) => REFUSING.has(decorator))
  return [...(model.methods.has('__before__') ? ['__before__'] : []), ...refusing.map(({ text }) => text)]
}

function hooksOf({ methods }: ControllerModel): string[] {
  return ['__before__', '__after__'].filter((name) => methods.has(name))
}

function decorationsOf(model: ControllerModel, { name }: MethodModel): readonly Decoration[] {
  return model.decorated.flatMap(({ method, decorations }) => (method === name ? decorations : []))
}

function argumentsOf(model: ControllerModel, method: MethodModel): GuardedRoute['arguments'] {
  const declared = model.declaredArguments(method.name)
  const parameters = declared?.kind === 'names' ? declared.names : method.parameters
  const converters = declared?.kind === 'converters' ? declared.converters : undefined
  return parameters.map(({ name }) => ({ name, converter: converters?.get(name)?.text ?? null }))
}
