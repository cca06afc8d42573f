/** What is wrong with routes and controllers as a whole: told to developers at start, not to visitors later. */
import { takes } from '../controllers/arguments.ts'
import { metadataOf } from '../controllers/metadata.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { LoadedController } from './loaded-controller.ts'

/** Parameters that reach an action by other ways than its arguments. */
const TAKEN_ELSEWHERE: ReadonlySet<string> = new Set(['controller', 'action', 'format', 'path_info'])

/** Routes that can never be reached, names used twice, patterns that explode: in the words in which they are logged. */
export function routeFindings(mapper: Mapper<unknown>): string[] {
  return mapper.diagnose().map(({ message, fix, definedAt }) => `${message} ${fix}${placed(definedAt)}`)
}

/** Parameters of the routes to a controller which the action there does not take. */
export function parameterFindings(
  mapper: Mapper<unknown>,
  name: string,
  controller: LoadedController,
): string[] {
  if (controller.kind === 'application') return []
  const { action: actionOf, before, after } = metadataOf(controller.controllerClass)
  return mapper.routes.flatMap((route) => {
    const action =
      route.controller === name && route.action !== undefined ? actionOf(route.action) : undefined
    if (action === undefined) return []
    const takers = [action, before, after].filter((taker) => taker !== undefined)
    return route.pattern.parameters
      .map((parameter) => parameter.name)
      .filter(
        (wanted) =>
          !TAKEN_ELSEWHERE.has(wanted) && !takers.some(({ parameters }) => takes(parameters, wanted)),
      )
      .map(
        (unused) =>
          `Route "${route.label}" has the parameter "${unused}", which ${action.label} does not take. ` +
          `Name it among its parameters, or take it out of the path${placed(route.definedAt)}`,
      )
  })
}

function placed(definedAt: string | undefined): string {
  return definedAt === undefined ? '' : ` (${definedAt})`
}
