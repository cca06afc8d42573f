/**
 * The places of routes in the files that define them.
 *
 * @module
 */
import type { Route } from '../../routing/route.ts'
import { type Place, placeOf } from './model.ts'
import type { ProjectModules, SourceModule } from './modules.ts'
import { remembered } from './remembered.ts'
import { placeOfText } from './route-view.ts'
import { is, keyName, nodesIn, type Of, type SyntaxNode, unwrap } from './syntax.ts'

/** Finds the calls that define routes. */
export class RoutingFiles {
  readonly #modules: ProjectModules

  /** Returns the calls of a module by the places that the engine reports for them: the name of the method. */
  readonly #callsIn = remembered(({ tree }: SourceModule) => {
    const calls = nodesIn(tree).filter((node) => is(node, 'CallExpression'))
    return new Map(calls.map((call) => [reportedPlace(call), call]))
  })

  constructor(modules: ProjectModules) {
    this.#modules = modules
  }

  /** Returns the place of a key in the options of a route, or the place of the route. */
  placeOfKey(route: Route, name: string): Place | undefined {
    return this.#find(route, (node) => is(node, 'Property') && keyName(node.key, node.computed) === name)
  }

  /** Returns the place of a text in the definition of a route, or the place of the route. */
  placeOfValue(route: Route, text: string): Place | undefined {
    return this.#find(route, (node) => is(node, 'Literal') && node.value === text)
  }

  #find(route: Route, matches: (node: SyntaxNode) => boolean): Place | undefined {
    const place = placeOfText(route.definedAt)
    const module = place && this.#modules.get(place.file)
    const call = module && this.#callsIn(module).get(`${place.line}:${place.column}`)
    if (module === undefined || call === undefined) return place
    for (const argument of call.arguments) {
      for (const node of nodesIn(argument)) if (matches(node)) return placeOf(module, node)
    }
    return place
  }
}

function reportedPlace(call: Of<'CallExpression'>): string {
  const callee = unwrap(call.callee)
  const { line, column } = (is(callee, 'MemberExpression') ? callee.property : callee).loc.start
  return `${line}:${column + 1}`
}
