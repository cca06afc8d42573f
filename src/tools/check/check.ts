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

/** Findings, and what an old application still answers, to which `fallback` forwards. */
export interface Checked {
  readonly findings: readonly Finding[]
  /** Controllers that do not exist. */
  readonly behind: readonly string[]
  /** Controllers that lack actions. */
  readonly partly: readonly string[]
}

/**
 * Returns the findings about an application, in the order of their places. What a fallback answers is none: missing
 * controllers, and missing actions.
 *
 * @param moved - controllers that have moved completely, so that nothing of them may be missing.
 */
export function findingsOf(project: Project, others: readonly Finding[] = [], moved?: readonly string[]): Checked {
  const moves = moved !== undefined || project.app[CHECKED_OPTIONS]?.hasFallback === true
  const isLeft = ({ code, controller, action }: Finding): boolean =>
    moves &&
    (code === 'controller-missing' || code === 'action-missing') &&
    (controller === undefined ? action !== undefined : moved?.includes(controller) !== true)
  const own = RULES.flatMap((rule) => [...rule(project)])
  const left = own.filter(isLeft)
  const controllersOf = (code: Finding['code']) =>
    [...new Set(left.flatMap((finding) => (finding.code === code ? (finding.controller ?? []) : [])))].sort()
  return {
    findings: sortFindings([...own.filter((finding) => !isLeft(finding)), ...others]),
    behind: controllersOf('controller-missing'),
    partly: controllersOf('action-missing'),
  }
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
