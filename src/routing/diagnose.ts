/**
 * What is wrong with the routes as a whole: found at start, not by a puzzled visitor.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { covers } from './coverage.ts'
import { ANY_METHOD } from './methods.ts'
import { accepts, type Parameter, type Variant } from './pattern.ts'
import type { Route } from './route.ts'
import type { Tree } from './tree.ts'

/** One finding. */
export interface Diagnosis {
  readonly code: 'unreachable' | 'duplicate-name' | 'explosive-pattern'
  readonly route: Route
  /** The route that stands in the way, or has the same name. */
  readonly other: Route | undefined
  readonly message: string
  readonly fix: string
  /** `file:line:column` of the route, where known. */
  readonly definedAt: string | undefined
}

/** All findings, in the order of the routes. */
export function diagnose(
  routes: readonly Route[],
  tree: Tree,
  controllers: ControllerNames | null,
): Diagnosis[] {
  const findings = [
    ...duplicateNames(routes),
    ...routes.flatMap((route) => unreachable(route, tree, controllers) ?? []),
    ...routes.flatMap(explosive),
  ]
  const place = new Map(routes.map((route, index) => [route, index]))
  return findings.sort((a, b) => (place.get(a.route) ?? 0) - (place.get(b.route) ?? 0))
}

function duplicateNames(routes: readonly Route[]): Diagnosis[] {
  const byName = new Map<string, Route>()
  const findings: Diagnosis[] = []
  for (const route of routes) {
    if (route.name === null) continue
    const other = byName.get(route.name)
    if (other) {
      findings.push({
        code: 'duplicate-name',
        route,
        other,
        message: `The name "${route.name}" of ${described(route)} belongs to ${described(other)} already; generation takes the later one.`,
        fix: 'Give one of them another name, or a namePrefix to its resource.',
        definedAt: route.definedAt,
      })
    }
    byName.set(route.name, route)
  }
  return findings
}

function unreachable(route: Route, tree: Tree, controllers: ControllerNames | null): Diagnosis | undefined {
  const own = route.variants.slice(0, route.variants.length - route.aliases.length)
  if (own.length === 0) return undefined
  let obstacle: Route | undefined
  for (const variant of own) {
    const found = obstacleTo(route, variant, tree, controllers)
    if (!found) return undefined
    obstacle = found
  }
  if (!obstacle) return undefined
  return {
    code: 'unreachable',
    route,
    other: obstacle,
    message: `${described(route)} can never be reached: ${described(obstacle)} comes first and takes all of its paths.`,
    fix: 'Define the more special route first, or remove it.',
    definedAt: route.definedAt,
  }
}

function obstacleTo(
  route: Route,
  variant: Variant,
  tree: Tree,
  controllers: ControllerNames | null,
): Route | undefined {
  const witness = witnessOf(variant, controllers)
  if (witness === undefined) return undefined
  for (const { entry } of tree.find(witness, false)) {
    if (entry.route === route) return undefined
    if (takesAllOf(entry.route, route) && covers(entry.variant, variant, controllers)) return entry.route
  }
  return undefined
}

function takesAllOf(earlier: Route, later: Route): boolean {
  if (earlier.condition) return false
  if (
    earlier.subDomain !== undefined &&
    JSON.stringify(earlier.subDomain) !== JSON.stringify(later.subDomain)
  )
    return false
  if (earlier.methodMask === ANY_METHOD) return true
  return later.methods?.every((method) => earlier.methods?.includes(method)) ?? false
}

const SAMPLES = [
  '1',
  '12',
  '123',
  '2024',
  'a',
  'ab',
  'abc',
  'A',
  'a1',
  'a-b',
  'html',
  'json',
  'x/y',
  '2024-01-31',
  '01',
]

/** A path that fits a variant; `undefined` when none can be guessed. */
function witnessOf(variant: Variant, controllers: ControllerNames | null): string | undefined {
  let path = ''
  for (const piece of variant.pieces) {
    const text = piece.kind === 'literal' ? piece.text : sample(piece, controllers)
    if (text === undefined) return undefined
    path += text
  }
  return path
}

function sample(parameter: Parameter, controllers: ControllerNames | null): string | undefined {
  if (parameter.controller && controllers) return controllers.texts()[0]
  if (parameter.requirement === null) return 'sample'
  return [...SAMPLES, ...parameter.requirement.source.split('|')].find((text) => accepts(parameter, text))
}

function explosive(route: Route): Diagnosis[] {
  return route.pattern.parameters.flatMap((parameter): Diagnosis[] => {
    const { requirement } = parameter
    if (!requirement?.explosive) return []
    return [
      {
        code: 'explosive-pattern',
        route,
        other: undefined,
        message: `The requirement ${requirement.source} of "${parameter.name}" in ${described(route)} can match the same text in exponentially many ways.`,
        fix: 'Write it so that each text can be matched in one way only: no repetition directly within a repetition.',
        definedAt: route.definedAt,
      },
    ]
  })
}

function described(route: Route): string {
  const methods = route.methods ? `${route.methods.join(',')} ` : ''
  const place = route.definedAt === undefined ? '' : ` (${route.definedAt})`
  return `${methods}${route.path}${route.name === null ? '' : ` "${route.name}"`}${place}`
}
