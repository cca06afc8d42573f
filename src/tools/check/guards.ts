/**
 * The arguments, hooks, decorators and guards of the actions that routes lead to.
 *
 * @module
 */
import { UNSAFE_METHODS } from '../../base/methods.ts'
import type { TableRow } from '../../routing/diagnose.ts'
import type { ControllerModel, MethodModel } from './model.ts'
import { type Access, accessTo, accessToService, type Reached, reachedBy } from './reach.ts'
import { canRefuse } from './refusals.ts'
import { remembered } from './remembered.ts'
import { actionsOf, decorationsOf, tableOf, type Wiring } from './wiring.ts'

/** Decorators of the framework that can refuse a request. Decorators of the application may, too. */
const REFUSING: ReadonlySet<string | undefined> = new Set([
  'authenticateForm',
  'https',
  'restrict',
  'validate',
  undefined,
])

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
  /** The actions that the route reaches: several if the path says the controller or the action. */
  readonly reaches: readonly Reached[]
}

/** An action, or a service as a whole. */
export interface GuardedAction {
  /** Controller and action (`users.delete`), or the name of a service. */
  readonly label: string
  /** The hooks and decorators that can refuse a request. */
  readonly guards: readonly string[]
  /** The ways by which requests reach it. */
  readonly access: readonly Access[]
}

/** Returns all routes in order, without static ones. */
export function guardedRoutes(wiring: Wiring): GuardedRoute[] {
  const guardsOf = guardFinder()
  return tableOf(wiring).map(({ row, view, entry }) => {
    const model = entry?.kind === 'class' ? entry.model : undefined
    const method = view?.method === undefined ? undefined : model?.methods.get(view.method)
    const guards = model === undefined ? [] : guardsOf(model, method?.name)
    const isUnsafe = row.methods === null || UNSAFE_METHODS.some((unsafe) => row.methods?.includes(unsafe))
    const isKnown = model?.isService === true || method !== undefined
    return {
      ...row,
      arguments: !model || !method || model.isService ? [] : argumentsOf(model, method),
      hooks: ['__before__', '__after__'].filter((name) => model?.methods.has(name)),
      decorators: !model || !method ? [] : decorationsOf(model, method.name).map(({ text }) => text),
      guards,
      unguarded: isKnown && isUnsafe && guards.length === 0,
      reaches: view === undefined ? [] : reachedBy(wiring, view),
    }
  })
}

/** Returns the actions that requests reach, by controller. */
export function guardedActions(wiring: Wiring): GuardedAction[] {
  const guardsOf = guardFinder()
  return wiring.models
    .flatMap((model): GuardedAction[] => {
      const { name } = model
      if (model.isService) {
        return [{ label: name, guards: guardsOf(model), access: accessToService(wiring, model) }]
      }
      return actionsOf(model).map((action) => ({
        label: `${name}.${action}`,
        guards: guardsOf(model, action),
        access: accessTo(wiring, model, action),
      }))
    })
    .filter(({ access }) => access.length > 0)
}

/** Returns a function that finds what can refuse a request for an action. The hook of each controller is read once. */
function guardFinder(): (model: ControllerModel, action?: string) => string[] {
  const refuses = remembered((model: ControllerModel) => canRefuse(model, '__before__'))
  return (model, action) => {
    const decorations = action === undefined ? [] : decorationsOf(model, action)
    const guards = decorations.filter(({ decorator }) => REFUSING.has(decorator))
    return [...(refuses(model) ? ['__before__'] : []), ...guards.map(({ text }) => text)]
  }
}

/**
 * Returns the unsafe methods with which requests reach an action; null if they reach it with any method, and no route
 * names an unsafe one.
 */
export function unsafeMethodsOf({ access }: GuardedAction): readonly string[] | null {
  const methods = UNSAFE_METHODS.filter((unsafe) => access.some((way) => way.methods?.includes(unsafe)))
  return methods.length === 0 && access.some((way) => way.methods === null) ? null : methods
}

function argumentsOf(model: ControllerModel, method: MethodModel): GuardedRoute['arguments'] {
  const { names = method.parameters, converters } = model.declaredArguments(method.name)
  return names.map(({ name }) => ({ name, converter: converters.get(name)?.text ?? null }))
}
