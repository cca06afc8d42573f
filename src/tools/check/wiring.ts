/**
 * The wiring of an application: which routes lead to which methods of which controllers.
 *
 * @module
 */
import type { Mapper } from '../../routing/mapper.ts'
import {
  type BodyModel,
  type ControllerEntry,
  type ControllerModel,
  isPublic,
  type MethodModel,
  type Place,
} from './model.ts'
import { FRAMEWORK_MEMBERS } from './reflection.ts'
import { RouteView } from './route-view.ts'
import { objectEntries, stringOf } from './syntax.ts'

/** A method and the routes by which requests reach it. */
export interface ReachedMethod {
  readonly model: ControllerModel
  readonly method: MethodModel
  readonly routes: readonly RouteView[]
  /** Whether it is called in place of an action: by `validate({ form })`, `dispatchOn`, `body({ form })`. */
  readonly isTarget: boolean
}

/** A method that a decorator or the body of another one names. */
export interface Target {
  readonly action: string
  readonly name: string
}

/** Routes and controllers of an application. */
export class Wiring {
  readonly mapper: Mapper<unknown>
  /** The routes that lead to actions: neither static nor redirects. */
  readonly routes: readonly RouteView[]
  readonly entries: ReadonlyMap<string, ControllerEntry>
  /** Path of the server for MCP. Undefined if the application has none. */
  readonly mcpPath: string | undefined
  /** Path of the OpenAPI document. Undefined if the application has none. */
  readonly openapiPath: string | undefined
  readonly #byController: ReadonlyMap<string, readonly RouteView[]>
  readonly #open: readonly RouteView[]
  readonly #reached = new Map<ControllerModel, readonly ReachedMethod[]>()

  constructor(
    mapper: Mapper<unknown>,
    entries: readonly ControllerEntry[],
    mcpPath?: string,
    openapiPath?: string,
  ) {
    this.mapper = mapper
    this.mcpPath = mcpPath
    this.openapiPath = openapiPath
    this.entries = new Map(
      entries.map((entry) => [entry.kind === 'class' ? entry.model.name : entry.name, entry]),
    )
    this.routes = mapper.routes
      .filter((route) => !route.static && route.redirect === undefined)
      .map((route) => new RouteView(route))
    this.#byController = Map.groupBy(
      this.routes.filter(({ controller }) => controller !== undefined),
      ({ controller }) => controller ?? '',
    )
    this.#open = this.routes.filter(({ hasOpenController }) => hasOpenController)
  }

  /** The controllers that are classes. */
  get models(): ControllerModel[] {
    return [...this.entries.values()].flatMap((entry) => (entry.kind === 'class' ? [entry.model] : []))
  }

  /** Returns the routes that lead to a controller. */
  routesTo(controller: string): RouteView[] {
    return [
      ...(this.#byController.get(controller) ?? []),
      ...this.#open.filter((route) => route.leadsTo(controller)),
    ]
  }

  /** Returns the actions of a controller and the methods that decorators call in place of them, with their routes. */
  reached(model: ControllerModel): readonly ReachedMethod[] {
    const known = this.#reached.get(model) ?? this.#reachedMethods(model)
    this.#reached.set(model, known)
    return known
  }

  #reachedMethods(model: ControllerModel): ReachedMethod[] {
    const routes = this.routesTo(model.name)
    const targets = targetsOf(model)
    const routesOf = (action: string) =>
      isAction(action) ? routes.filter((route) => route.runs(action)) : []
    return [...model.methods.values()].flatMap((method) => {
      const calling = targets.filter(({ name }) => name === method.name)
      if (!isAction(method.name) && calling.length === 0) return []
      const own = routesOf(method.name)
      const others = calling.flatMap(({ action }) => routesOf(action))
      return [{ model, method, routes: [...new Set([...own, ...others])], isTarget: calling.length > 0 }]
    })
  }
}

/** Returns true if a method of this name is an action. */
export function isAction(name: string): boolean {
  return isPublic(name) && !(name in FRAMEWORK_MEMBERS)
}

/** Returns the names of the actions of a controller. */
export function actionsOf(model: ControllerModel): string[] {
  return [...model.methods.keys()].filter(isAction)
}

/** Returns the methods that `validate({ form })`, `dispatchOn({ … })` and `body({ form })` of a controller name. */
function targetsOf(model: ControllerModel): Target[] {
  const forms = actionsOf(model).flatMap((action) =>
    bodiesOf(model, action).flatMap(({ body: { form } }) =>
      form === undefined ? [] : [{ action, name: form.name }],
    ),
  )
  const decorated = model.decorated.flatMap(({ method, decorations }) =>
    decorations.flatMap(({ decorator = '', arguments: [first, second] }) => {
      const named =
        decorator === 'dispatchOn'
          ? [...(objectEntries(first)?.entries.values() ?? [])]
          : decorator === 'validate'
            ? [objectEntries(second)?.entries.get('form')]
            : []
      return named.flatMap((property) => {
        const name = stringOf(property?.value)
        return name === undefined ? [] : [{ action: method, name }]
      })
    }),
  )
  return [...decorated, ...forms]
}

/** An argument that is the body of the request. */
export interface DeclaredBody {
  readonly name: string
  readonly place: Place | undefined
  readonly body: BodyModel
}

/** Returns the arguments of a method that are the body of the request: more than one is a mistake. */
export function bodiesOf(model: ControllerModel, method: string): DeclaredBody[] {
  const declared = model.declaredArguments(method)
  if (declared?.kind !== 'converters') return []
  return [...declared.converters].flatMap(([name, { body, place }]) =>
    body === undefined ? [] : [{ name, place, body }],
  )
}

/** Returns true if `jsonify` sends the result of an action, which may then be any value of JSON. */
export function isJsonified(model: ControllerModel, action: string): boolean {
  return model.decorated.some(
    ({ method, decorations }) =>
      method === action && decorations.some(({ decorator }) => decorator === 'jsonify'),
  )
}
