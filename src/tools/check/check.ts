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

/** Returns the findings about an application, in the order of their places. */
export function findingsOf(project: Project, others: readonly Finding[] = []): Finding[] {
  const { hasFallback = false } = project.app[CHECKED_OPTIONS] ?? {}
  const own = RULES.flatMap((rule) => [...rule(project)])
  return sortFindings([...own.filter((finding) => !hasFallback || !isLeft(finding)), ...others])
}

/** Returns true for what the fallback of an application answers: a controller or an action that is missing. */
function isLeft({ code, controller, action }: Finding): boolean {
  return ['controller-missing', 'action-missing'].includes(code) && (controller ?? action) !== undefined
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
