/**
 * Checks the wiring of an application: routes against the descriptions of its loaded classes.
 *
 * @module
 */
import { CHECKED_OPTIONS } from '../../app/framework-app.ts'
import { type Finding, type Findings, sortFindings } from './finding.ts'
import type { Project } from './project.ts'
import { checkArguments } from './rules/arguments.ts'
import { checkClasses } from './rules/classes.ts'
import { checkActions, checkControllers, checkOptions, checkReach } from './rules/routes.ts'
import { checkTemplates } from './rules/templates.ts'

const RULES: readonly ((project: Project) => Findings)[] = [
  ...[checkControllers, checkActions, checkReach, checkOptions],
  ...[checkArguments, checkClasses, checkTemplates],
]

/**
 * Returns the findings about an application, in the order of their places. A fallback answers for missing controllers
 * and actions, so they are not reported.
 *
 * @param others - findings of the compiler.
 */
export function findingsOf(project: Project, others: readonly Finding[] = []): Finding[] {
  const hasFallback = project.app[CHECKED_OPTIONS]?.hasFallback === true
  const answered = hasFallback ? ['controller-missing', 'action-missing'] : []
  const own = RULES.flatMap((rule) => [...rule(project)])
  // A route without any controller is a mistake all the same.
  const left = own.filter(({ code, controller }) => controller === undefined || !answered.includes(code))
  return sortFindings([...left, ...others])
}

/** Returns the actions that requests reach by no other route than one whose path says the action. */
export function onlyByDefault({ classes, reached, routesTo }: Project): string[] {
  return classes
    .filter(({ isService }) => !isService)
    .flatMap((one) => reached(one).map(({ method }) => ({ controller: one.name, action: method.name })))
    .filter(({ controller, action }) => {
      const views = routesTo(controller).filter((view) => view.runs(action))
      return views.length > 0 && views.every((view) => view.action === undefined)
    })
    .map(({ controller, action }) => `${controller}.${action}`)
}
