import { metadataOf, takes } from '../controllers/metadata.ts'
import { MATCH_ARGUMENTS } from '../controllers/supplied-arguments.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { LoadedController } from './loaded-controller.ts'

/** Parameters that the framework itself uses. */
const USED_BY_FRAMEWORK: ReadonlySet<string> = new Set([...MATCH_ARGUMENTS, 'path_info'])

/** Returns warnings about the routes: unreachable routes, duplicate names. */
export function routeFindings(mapper: Mapper<unknown>): string[] {
  return mapper.diagnose().map(({ message, fix, definedAt }) => `${message} ${fix}${placed(definedAt)}`)
}

/** Returns a warning for each parameter of a route to the controller that the action does not take as an argument. */
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
          !USED_BY_FRAMEWORK.has(wanted) && !takers.some(({ parameters }) => takes(parameters, wanted)),
      )
      .map(
        (unused) =>
          `Route "${route.label}" has the parameter "${unused}", which ${action.label} does not take. ` +
          `Add it to the parameters of the method, or remove it from the path.${placed(route.definedAt)}`,
      )
  })
}

function placed(definedAt: string | undefined): string {
  return definedAt === undefined ? '' : ` (${definedAt})`
}
