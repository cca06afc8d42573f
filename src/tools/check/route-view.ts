/**
 * Routes as the checks see them: the actions that they lead to, and the arguments that they supply.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { Route } from '../../routing/route.ts'
import type { Place } from './model.ts'
import { parseFunctionText } from './parse.ts'
import { is, memberName, nodesIn, type SyntaxNode } from './syntax.ts'

/** A route that leads to actions. */
export class RouteView {
  readonly route: Route
  /** Names of the parameters of the path. */
  readonly parameters: readonly string[]
  /** Names of the arguments that each match has; undefined if a condition function may add any. */
  readonly supplied: ReadonlySet<string> | undefined
  /** The controller and the action of each match; undefined if the path has it, or a condition function may set it. */
  readonly controller: string | undefined
  readonly action: string | undefined
  /** Whether the path, or a condition function, says the controller. */
  readonly hasOpenController: boolean

  constructor(route: Route) {
    this.route = route
    this.parameters = route.pattern.parameters.map(({ name }) => name)
    const added = route.condition === undefined ? [] : addedByCondition(route.condition)
    this.supplied = added && new Set([...this.parameters, ...Object.keys(route.defaults), ...added])
    const isOpen = (name: string) => this.parameters.includes(name) || added?.includes(name) !== false
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

  /** The place of the definition. */
  get place(): Place | undefined {
    return placeOfText(this.route.definedAt)
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

/** Parses `file:line:column` of a route's definition. */
export function placeOfText(text: string | undefined): Place | undefined {
  const [, path, line, column] = /^(.*?)(?:\?[^:]*)?:(\d+):(\d+)$/.exec(text ?? '') ?? []
  if (path === undefined) return undefined
  const file = path.startsWith('/') ? fileURLToPath(`file://${path}`) : path
  return { file, line: Number(line), column: Number(column) }
}

/** Returns the names that a condition function assigns to the match, or undefined if it may assign any. */
function addedByCondition(condition: (...args: never[]) => unknown): string[] | undefined {
  const parsed = parseFunctionText(String(condition))
  if (parsed === undefined) return undefined
  const match = parsed.params[1]
  if (parsed.params.some((param) => is(param, 'RestElement'))) return undefined
  if (match === undefined || is(match, 'ObjectPattern')) return []
  return is(match, 'Identifier') ? assignedMembers(parsed.body, match.name) : undefined
}

/** Returns the members of a variable that are assigned, or undefined if the variable itself is passed on. */
function assignedMembers(body: SyntaxNode, variable: string): string[] | undefined {
  const reads = new Set<SyntaxNode>()
  const assigned: string[] = []
  for (const node of nodesIn(body)) {
    if (is(node, 'AssignmentExpression') && is(node.left, 'MemberExpression')) {
      const { object } = node.left
      if (!is(object, 'Identifier') || object.name !== variable) continue
      const name = memberName(node.left)
      if (name === undefined) return undefined
      assigned.push(name)
    }
    if (is(node, 'MemberExpression')) reads.add(node.object)
    // A key or a member of another object may have the same name.
    if (is(node, 'MemberExpression') && !node.computed) reads.add(node.property)
    if (is(node, 'Property') && !node.computed && node.key !== node.value) reads.add(node.key)
    if (is(node, 'Identifier') && node.name === variable && !reads.has(node)) return undefined
  }
  return assigned
}
