/** What is wrong with routes and controllers as a whole: told to developers at start, not to visitors later. */
import { planOf } from '../controllers/plan.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { LoadedController } from './loaded-controller.ts'

/** One finding, in the words in which it is logged. */
export function routeFindings(mapper: Mapper): string[] {
  return mapper
    .diagnose()
    .map(({ message, fix, definedAt }) => `${message} ${fix}${definedAt === undefined ? '' : ` (${definedAt})`}`)
}

/** Parameters of the paths that lead to a controller which the action there does not take. */
export function parameterFindings(mapper: Mapper, name: string, controller: LoadedController): string[] {
  if (controller.kind === 'application') return []
  const plan = planOf(controller.controllerClass)
  const hooks = [plan.before, plan.after].filter((hook) => hook !== undefined)
  return mapper.routes.flatMap((route) => {
    if (route.controller !== name || route.action === undefined) return []
    const action = plan.action(route.action)
    if (action === undefined) {
      const place = route.definedAt === undefined ? '' : ` (${route.definedAt})`
      return [`Route ${route.label} leads to ${plan.name}.${route.action}, which is no action. Write it, or correct the route${place}`]
    }
    return route.pattern.parameters
      .filter(({ name: parameter }) => ![action, ...hooks].some((taker) => taker.takes(parameter)))
      .map(({ name: parameter }) => {
        const place = route.definedAt === undefined ? '' : ` (${route.definedAt})`
        return `Route ${route.label} has the parameter "${parameter}", which ${action.label} does not take${place}`
      })
  })
}
