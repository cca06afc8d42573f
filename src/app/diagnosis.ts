import { shownPlaces } from '../base/place.ts'
import { errorMessage } from '../base/thrown.ts'
import type { Logger } from '../controllers/application.ts'
import { describeController } from '../controllers/describe.ts'
import { takes } from '../controllers/method-binding.ts'
import { MATCH_ARGUMENTS } from '../controllers/supplied-arguments.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { LoadedController } from './loaded-controller.ts'
import type { ControllerRegistry } from './registry.ts'

/**
 * Logs warnings about the routes, and about each controller when it is loaded.
 *
 * @param read - names of the parameters that the application reads itself.
 */
export function diagnose(
  mapper: Mapper<unknown>,
  controllers: ControllerRegistry,
  logger: Logger,
  read: readonly string[],
): void {
  const used: ReadonlySet<string> = new Set([...MATCH_ARGUMENTS, 'path_info', ...read])
  for (const { message, fix, definedAt } of mapper.diagnose()) logger.warn(`${message} ${fix}${placed(definedAt)}`)
  controllers.onLoad = (name, controller) => {
    try {
      for (const finding of parameterFindings(mapper, name, controller, used)) logger.warn(finding)
    } catch (error) {
      // A declaration of the class is wrong. Requests to the controller are answered with the same error.
      logger.warn(errorMessage(error))
    }
  }
}

/** Returns a warning for each parameter of a route to the controller that the action does not take as an argument. */
function parameterFindings(
  mapper: Mapper<unknown>,
  name: string,
  controller: LoadedController,
  used: ReadonlySet<string>,
): string[] {
  if (controller.kind === 'application') return []
  const { action: actionOf, before, after } = describeController(controller.controllerClass)
  return mapper.routes.flatMap((route) => {
    const action = route.controller === name && route.action !== undefined ? actionOf(route.action) : undefined
    if (action === undefined) return []
    const takers = [action, before, after].filter((taker) => taker !== undefined)
    return route.pattern.parameters
      .map((parameter) => parameter.name)
      .filter((wanted) => !used.has(wanted) && !takers.some(({ parameters }) => takes(parameters, wanted)))
      .map(
        (unused) =>
          `Route "${route.label}" has the parameter "${unused}", which ${action.label} does not take. ` +
          `Add it to the parameters of the method, or remove it from the path.${placed(route.definedAt)}`,
      )
  })
}

function placed(definedAt: string | undefined): string {
  return definedAt === undefined ? '' : ` (${shownPlaces(definedAt)})`
}
