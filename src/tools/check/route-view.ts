/**
 * Routes as the checks see them: the actions that they lead to, and the arguments that they supply.
 *
 * @module
 */
import type { Route } from '../../routing/route.ts'

/** A route that leads to actions. */
export class RouteView {
  readonly route: Route
  /** Names of the parameters of the path. */
  readonly parameters: readonly string[]
  /** Names of the arguments that each match has; undefined if a condition function may add some. */
  readonly supplied: ReadonlySet<string> | undefined
  /** The controller and the action of each match; undefined if the path has it, or a condition function may set it. */
  readonly controller: string | undefined
  readonly action: string | undefined
  /** Whether the path, or a condition function, says the controller. */
  readonly hasOpenController: boolean

  constructor(route: Route) {
    this.route = route
    this.parameters = route.pattern.parameters.map(({ name }) => name)
    const isConditional = route.condition !== undefined
    this.supplied = isConditional ? undefined : new Set([...this.parameters, ...Object.keys(route.defaults)])
    const isOpen = (name: string) => this.parameters.includes(name) || (isConditional && !(name in route.defaults))
    this.hasOpenController = isOpen('controller')
    this.controller = this.hasOpenController ? undefined : (route.defaults.controller ?? undefined)
    this.action = isOpen('action') ? undefined : (route.defaults.action ?? 'index')
  }

  /** Returns true if a match may have this controller. */
  leadsTo(controller: string): boolean {
    if (this.controller !== undefined) return this.controller === controller
    return this.hasOpenController && this.#allows('controller', controller)
  }

  /** Returns true if a match may have this action, or the same with dashes. */
  runs(action: string): boolean {
    if (this.method !== undefined) return this.method === action
    return this.#allows('action', action) || this.#allows('action', action.replaceAll('_', '-'))
  }

  /** The name of the action's method, which has underscores instead of dashes. */
  get method(): string | undefined {
    return this.action?.replaceAll('-', '_')
  }

  /** The actions that the route names: one, or the list in a requirement (`{action:edit|show}`). */
  get namedActions(): readonly string[] {
    if (this.method !== undefined) return [this.method]
    const source = this.route.parameter('action')?.requirement?.source ?? ''
    return /^\w+(?:\|\w+)*$/.test(source) ? source.split('|') : []
  }

  /** The route in a sentence: `the route "user" (/users/{id})`. */
  get label(): string {
    const { name, path } = this.route
    return name === null ? `the route ${path}` : `the route "${name}" (${path})`
  }

  /** The call that defines the route in a sentence: `resource` for its routes. */
  get origin(): string {
    const { resource } = this.route
    return resource === undefined ? this.label : `the resource "${resource.member}", "${resource.collection}"`
  }

  #allows(parameter: string, value: string): boolean {
    return this.route.parameter(parameter)?.requirement?.test(value) ?? true
  }
}

/** Returns a text that begins with a capital, as a sentence does. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
