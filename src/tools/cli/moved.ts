/**
 * Applications that move: the controllers that stay behind, in the application to which `fallback` forwards.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../../base/record.ts'
import type { Finding } from '../check/finding.ts'
import type { Project } from '../check/project.ts'
import { rowsOf } from './route-tables.ts'

/**
 * Returns the controllers that have moved completely, by the setting `"propylon": { "moved": ["books"] }` of a
 * project's package.json. Undefined if it has none.
 *
 * @throws TypeError - the setting is not a list of names.
 */
export function movedSetting(root: string): readonly string[] | undefined {
  const path = join(root, 'package.json')
  const description: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  const settings = isRecord(description) ? description.propylon : undefined
  const moved = isRecord(settings) ? settings.moved : undefined
  if (moved === undefined) return undefined
  if (Array.isArray(moved) && moved.every((name) => typeof name === 'string')) return moved
  throw new TypeError('package.json: propylon.moved is not a list of controllers. Write "moved": ["books"].')
}

/** Findings without what is missing in controllers that stay behind. */
export interface Move {
  readonly findings: readonly Finding[]
  /** Controllers that do not exist. */
  readonly behind: readonly string[]
  /** Controllers that lack actions. */
  readonly partly: readonly string[]
}

/** Removes the findings about missing controllers and actions, except for the controllers that have moved. */
export function leaveBehind(findings: readonly Finding[], moved: readonly string[]): Move {
  const isBehind = ({ code, controller, action }: Finding): boolean =>
    (code === 'controller-missing' || code === 'action-missing') &&
    (controller === undefined ? action !== undefined : !moved.includes(controller))
  const left = findings.filter(isBehind)
  const controllersOf = (code: Finding['code']) =>
    [...new Set(left.flatMap((finding) => (finding.code === code ? (finding.controller ?? []) : [])))].sort()
  return {
    findings: findings.filter((finding) => !isBehind(finding)),
    behind: controllersOf('controller-missing'),
    partly: controllersOf('action-missing'),
  }
}

/**
 * Reason why a route does not lead to an action of this application; `yes` if it does, null if its path says the
 * controller.
 */
export type Moved = 'yes' | 'no controller' | 'no action' | null

/** Returns for each route of `mapper.table()` whether its action has moved. */
export function movedRoutes(project: Project): Moved[] {
  return rowsOf(project).map(({ view, entry }) => {
    if (view === undefined) return 'yes'
    if (view.controller === undefined) return null
    if (entry === undefined) return 'no controller'
    if (entry.kind !== 'class' || entry.isService || view.method === undefined) return 'yes'
    return entry.methods.get(view.method)?.isAction === true ? 'yes' : 'no action'
  })
}
