/**
 * What is generated matches back to the same values, also where values stand amid literal text.
 *
 * @module
 */

import { GenerationError } from './errors.ts'
import { valueIn } from './pattern.ts'
import { unfold } from './percent.ts'
import type { Route } from './route.ts'
import { stepsOf } from './segments.ts'
import { Tree } from './tree.ts'
import { writePattern } from './writing.ts'

const ambiguous = new WeakMap<Route, Tree | null>()

/** Where values stand amid literal text, makes sure that they are found again; encodes them strictly if need be. */
export function checked(route: Route, path: string, lookup: (name: string) => unknown): string {
  let tree = ambiguous.get(route)
  if (tree === undefined) {
    tree = needsCheck(route) ? new Tree([route], null) : null
    ambiguous.set(route, tree)
  }
  if (tree === null || findsAgain(route, tree, path, lookup)) return path
  const strict = writePattern(route.pattern, lookup, route.label, true)
  if (findsAgain(route, tree, strict, lookup)) return strict
  throw new GenerationError(
    'E_PARAMETER_INVALID',
    `Route "${route.label}" (${route.path}) would become "${path}", in which its values cannot be told apart.`,
    'Separate the parameters by text that their values do not hold, or set requirements.',
    { route: route.label, pattern: route.path, value: path },
  )
}

function needsCheck(route: Route): boolean {
  return route.variants.some((variant) =>
    stepsOf(variant, null, route.path)?.some(({ kind }) => kind === 'mixed' || kind === 'rest'),
  )
}

function findsAgain(route: Route, tree: Tree, path: string, lookup: (name: string) => unknown): boolean {
  if (route.parameter('controller') && String(lookup('controller')).includes('/')) return true
  const unfolded = unfold(path)
  if (unfolded === undefined) return false
  const escaped = unfolded !== path
  for (const { entry, texts } of tree.find(unfolded, escaped)) {
    const values = entry.variant.parameters.map((parameter, index) =>
      valueIn(parameter, texts[index] ?? '', escaped),
    )
    if (values.includes(undefined)) continue
    return (
      entry.variant.parameters.every(({ name }, index) => String(lookup(name)) === values[index]) &&
      entry.variant.absent.every((name) => (lookup(name) ?? '') === '')
    )
  }
  return false
}
