/**
 * The arguments, hooks, decorators and guards of the actions that routes lead to.
 *
 * @module
 */
import { UNSAFE_METHODS } from '../../base/methods.ts'
import type { TableRow } from '../../routing/diagnose.ts'
import type { Lookup } from './lookup.ts'
import type { ControllerModel, Decoration, MethodModel } from './model.ts'
import { type Access, accessTo, accessToService, type Reached, reachedBy } from './reach.ts'
import { canRefuse } from './refusals.ts'
import { RouteView } from './route-view.ts'
import { actionsOf, type Wiring } from './wiring.ts'

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

/** Finds the guards of controllers. */
export class GuardReader {
  readonly #lookup: Lookup
  readonly #refusing = new Map<ControllerModel, boolean>()

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Returns all routes in order, without static ones. */
  routes(wiring: Wiring): GuardedRoute[] {
    const routes = wiring.mapper.routes.filter((route) => !route.static)
    return wiring.mapper.table().map((row, index) => {
      const route = routes[index]
      const view = route && route.redirect === undefined ? new RouteView(route) : undefined
      const entry = view?.controller === undefined ? undefined : wiring.entries.get(view.controller)
      const model = entry?.kind === 'class' ? entry.model : undefined
      const method =
        view?.action === undefined ? undefined : model?.methods.get(view.action.replaceAll('-', '_'))
      const decorations = model === undefined || method === undefined ? [] : decorationsOf(model, method)
      const guards = model === undefined ? [] : this.#guards(model, decorations)
      const isUnsafe = row.methods === null || UNSAFE_METHODS.some((unsafe) => row.methods?.includes(unsafe))
      const isKnown = model?.isService === true || method !== undefined
      return {
        ...row,
        arguments:
          model === undefined || method === undefined || model.isService ? [] : argumentsOf(model, method),
        hooks: model === undefined ? [] : hooksOf(model),
        decorators: decorations.map(({ text }) => text),
        guards,
        unguarded: isKnown && isUnsafe && guards.length === 0,
        reaches: view === undefined ? [] : reachedBy(wiring, view),
      }
    })
  }

  /** Returns the actions that requests reach, by controller. */
  actions(wiring: Wiring): GuardedAction[] {
    return wiring.models
      .flatMap((model) => {
        if (model.isService) {
          return [
            { label: model.name, guards: this.#guards(model, []), access: accessToService(wiring, model) },
          ]
        }
        return actionsOf(model).flatMap((name) => {
          const method = model.methods.get(name)
          if (method === undefined) return []
          const guards = this.#guards(model, decorationsOf(model, method))
          return [{ label: `${model.name}.${name}`, guards, access: accessTo(wiring, model, name) }]
        })
      })
      .filter(({ access }) => access.length > 0)
  }

  #guards(model: ControllerModel, decorations: readonly Decoration[]): string[] {
    const refusing = decorations.filter(({ decorator }) => REFUSING.has(decorator))
    return [...(this.#refuses(model) ? ['__before__'] : []), ...refusing.map(({ text }) => text)]
  }

  /** Returns true if the `__before__` of a controller can refuse a request. */
  #refuses(model: ControllerModel): boolean {
    const refuses = this.#refusing.get(model) ?? canRefuse(model, '__before__', this.#lookup)
    this.#refusing.set(model, refuses)
    return refuses
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
