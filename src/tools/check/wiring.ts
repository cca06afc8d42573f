/**
 * The wiring of an application: which routes lead to which methods of which controllers.
 *
 * @module
 */
import { otherPage } from '../../controllers/forms/other-page.ts'
import type { TableRow } from '../../routing/diagnose.ts'
import type { Mapper } from '../../routing/mapper.ts'
import type { BodyModel, ControllerEntry, ControllerModel, Decoration, MethodModel, Place } from './model.ts'
import { FRAMEWORK_MEMBERS } from './reflection.ts'
import { remembered } from './remembered.ts'
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

/** A method that a decorator or the body of an action names. */
interface Target {
  /** The action, with its controller. */
  readonly caller: ControllerModel
  readonly action: string
  /** The method, with the name of its controller. */
  readonly controller: string
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
  #targets: readonly Target[] | undefined

  /** Returns the routes that lead to a controller. */
  readonly routesTo = remembered((controller: string): readonly RouteView[] =>
    this.routes.filter((route) => route.leadsTo(controller)),
  )

  /** Returns the actions of a controller and the methods that decorators call in place of them, with their routes. */
  readonly reached = remembered((model: ControllerModel): readonly ReachedMethod[] =>
    this.#reachedMethods(model),
  )

  constructor(
    mapper: Mapper<unknown>,
    entries: readonly ControllerEntry[],
    mcpPath?: string,
    openapiPath?: string,
  ) {
    this.mapper = mapper
    this.mcpPath = mcpPath
    this.openapiPath = openapiPath
    this.entries = new Map(entries.map((entry) => [entry.name, entry]))
    this.routes = mapper.routes
      .filter((route) => !route.static && route.redirect === undefined)
      .map((route) => new RouteView(route))
  }

  /** The controllers that are classes. */
  get models(): ControllerModel[] {
    return [...this.entries.values()].flatMap((entry) => (entry.kind === 'class' ? [entry.model] : []))
  }

  #reachedMethods(model: ControllerModel): ReachedMethod[] {
    this.#targets ??= this.models.flatMap(targetsOf)
    const targets = this.#targets.filter(({ controller }) => controller === model.name)
    const routesOf = (controller: string, action: string) =>
      isAction(action) ? this.routesTo(controller).filter((route) => route.runs(action)) : []
    return [...model.methods.values()].flatMap((method) => {
      const calling = targets.filter(({ name }) => name === method.name)
      if (!isAction(method.name) && calling.length === 0) return []
      const own = routesOf(model.name, method.name)
      const others = calling.flatMap(({ caller, action }) => routesOf(caller.name, action))
      return [{ model, method, routes: [...new Set([...own, ...others])], isTarget: calling.length > 0 }]
    })
  }
}

/** A row of `mapper.table()` and what its route leads to. */
export interface WiredRow {
  readonly row: TableRow
  /** Undefined for a redirect. */
  readonly view: RouteView | undefined
  /** The controller. Undefined if there is none of that name, or if the path says it. */
  readonly entry: ControllerEntry | undefined
}

/** Returns the rows of all routes in order, without static ones. */
export function tableOf({ mapper, entries }: Wiring): WiredRow[] {
  const routes = mapper.routes.filter((route) => !route.static)
  return mapper.table().map((row, index) => {
    const route = routes[index]
    const view = route && route.redirect === undefined ? new RouteView(route) : undefined
    return { row, view, entry: view?.controller === undefined ? undefined : entries.get(view.controller) }
  })
}

/** Returns true if a method of this name is an action. */
function isAction(name: string): boolean {
  return !name.startsWith('_') && name !== 'constructor' && !(name in FRAMEWORK_MEMBERS)
}

export function hasAction(model: ControllerModel, name: string): boolean {
  return isAction(name) && model.methods.has(name)
}

/** Returns the names of the actions of a controller. */
export function actionsOf(model: ControllerModel): string[] {
  return [...model.methods.keys()].filter(isAction)
}

/** Returns the methods that `validate({ form })`, `dispatchOn({ … })` and `body({ form })` of a controller name. */
function targetsOf(caller: ControllerModel): Target[] {
  const named = (action: string, name: string | undefined): Target[] => {
    if (name === undefined) return []
    const page = otherPage(name) ?? { controller: caller.name, action: name }
    return [{ caller, action, controller: page.controller, name: page.action }]
  }
  const forms = actionsOf(caller).flatMap((action) =>
    bodiesOf(caller, action).flatMap(({ body }) => named(action, body.form?.name)),
  )
  const decorated = caller.decorated.flatMap(({ method, decorations }) =>
    decorations.flatMap(({ decorator, arguments: [first, second] }) => {
      const form = decorator === 'validate' ? objectEntries(second)?.entries.get('form') : undefined
      const methods = decorator === 'dispatchOn' ? objectEntries(first)?.entries.values() : undefined
      return [...(methods ?? []), form].flatMap((option) => named(method, stringOf(option?.value)))
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
  return [...model.declaredArguments(method).converters].flatMap(([name, { body, place }]) =>
    body === undefined ? [] : [{ name, place, body }],
  )
}

/** Returns the decorators of a method. */
export function decorationsOf({ decorated }: ControllerModel, name: string): Decoration[] {
  return decorated.flatMap(({ method, decorations }) => (method === name ? decorations : []))
}

/** Returns true if `jsonify` sends the result of an action, which may then be any value of JSON. */
export function isJsonified(model: ControllerModel, action: string): boolean {
  return decorationsOf(model, action).some(({ decorator }) => decorator === 'jsonify')
}

/** Returns true if a decorator of the application may change the arguments and the result of a method. */
export function hasOwnDecorator(model: ControllerModel, method: string): boolean {
  return (
    !model.knowsDecorators || decorationsOf(model, method).some(({ decorator }) => decorator === undefined)
  )
}
