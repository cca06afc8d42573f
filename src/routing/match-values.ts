/**
 * The values of a match.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import type { Match } from './options.ts'
import { decoded } from './percent.ts'
import type { Entry } from './tree-node.ts'

/**
 * A route's defaults, and the decoded values of its parameters.
 *
 * @param texts - what stands for the parameters in the unfolded path.
 * @param escaped - whether the path held any escape.
 * @param subDomain - of the request; undefined where matches do not hold it.
 */
export function matchOf(
  { route, variant }: Entry,
  texts: readonly string[],
  escaped: boolean,
  controllers: ControllerNames | null,
  subDomain: string | null | undefined,
): Match {
  const match: Match = Object.create(null)
  const { defaultNames, defaultValues } = route
  for (let index = 0; index < defaultNames.length; index++)
    match[defaultNames[index] ?? ''] = defaultValues[index] ?? null
  const { parameters } = variant
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]
    const text = texts[index]
    if (parameter === undefined || text === undefined) continue
    const value = escaped ? decoded(text) : text
    if (parameter.controller && controllers) match[parameter.name] = controllers.find(value) ?? value
    else if (value !== '' || !match[parameter.name]) match[parameter.name] = value
  }
  for (const name of variant.absent) match[name] ??= null
  if (subDomain !== undefined) match.subDomain = subDomain
  return match
}
