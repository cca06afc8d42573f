import { isAbsolute, relative, sep } from 'node:path'
import type { Place } from './model.ts'

/** A mistake in the wiring of routes, controllers and arguments. */
export interface Finding {
  /** Identifies the rule, for instance `argument-not-supplied`. */
  readonly code: FindingCode
  /** Undefined if the place is not known, as for classes that are not in a file of the project. */
  readonly place: Place | undefined
  /** One sentence that names what is wrong. */
  readonly message: string
  /** Correction of the mistake. */
  readonly fix: string
  readonly controller?: string | undefined
  readonly action?: string | undefined
  readonly argument?: string | undefined
}

/** The rules. */
export type FindingCode =
  | 'action-missing'
  | 'action-unreached'
  | 'argument-not-supplied'
  | 'argument-type'
  | 'application-unloadable'
  | 'args-no-schema'
  | 'args-no-text'
  | 'args-unknown'
  | 'body-form-missing'
  | 'body-list'
  | 'body-repeated'
  | 'body-unread'
  | 'controller-missing'
  | 'controller-unreadable'
  | 'controller-unreached'
  | 'decorated-method-missing'
  | 'decorator-method-missing'
  | 'field-member'
  | 'finally-early'
  | 'hook-misspelt'
  | 'member-reserved'
  | 'message-superfluous'
  | 'message-unknown'
  | 'message-values'
  | 'method-case'
  | 'promise-dropped'
  | 'result-forgotten'
  | 'result-type'
  | 'result-unusable'
  | 'route-definition'
  | 'route-duplicate-name'
  | 'route-option-unknown'
  | 'route-unreachable'
  | 'schema-undescribed'
  | 'static-unknown'
  | 'static-value'
  | 'status-undocumented'
  | 'syntax-unsupported'
  | 'tool-unreached'
  | 'template-missing'
  | 'template-route-unknown'

/** The rules whose findings may be right. */
const WARNINGS: ReadonlySet<FindingCode> = new Set([
  'args-no-text',
  'message-superfluous',
  'result-forgotten',
  'route-duplicate-name',
  'schema-undescribed',
  'status-undocumented',
])

/** Returns the severity of the findings of a rule. */
export function severityOf({ code }: Pick<Finding, 'code'>): 'error' | 'warning' {
  return WARNINGS.has(code) ? 'warning' : 'error'
}

/** A finding as data, with the path relative to a folder. */
export interface FindingData {
  readonly code: FindingCode
  readonly severity: 'error' | 'warning'
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly message: string
  readonly fix: string
  readonly controller: string | null
  readonly action: string | null
  readonly argument: string | null
}

/** Returns a finding as data. */
export function findingData(finding: Finding, root: string): FindingData {
  const { code, place, message, fix } = finding
  return {
    code,
    severity: severityOf(finding),
    file: place === undefined ? null : shownPath(place.file, root),
    line: place?.line ?? null,
    column: place?.column ?? null,
    message,
    fix,
    controller: finding.controller ?? null,
    action: finding.action ?? null,
    argument: finding.argument ?? null,
  }
}

/** Formats a finding as one line: `controllers/users.ts:4:8 UsersController.show() … Did you mean "id"?`. */
export function formatFinding({ place, message, fix }: Finding, root: string): string {
  return `${place === undefined ? '' : `${formatPlace(place, root)} `}${message} ${fix}`
}

/** Formats a place as `file:line:column`. */
export function formatPlace({ file, line, column }: Place, root: string): string {
  return `${shownPath(file, root)}:${line}:${column}`
}

/** Returns a path relative to a folder, or the absolute one if it is outside. */
function shownPath(file: string, root: string): string {
  const path = relative(root, file)
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path.replaceAll(sep, '/')
}

/** Sorts findings by place and removes those that say the same of the same place. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>()
  for (const finding of findings) {
    const { place, code, argument, message } = finding
    const key =
      place === undefined ? message : `${code} ${place.file}:${place.line}:${place.column} ${argument}`
    if (!byKey.has(key)) byKey.set(key, finding)
  }
  return [...byKey.values()].sort(
    (a, b) =>
      compare(a.place?.file ?? '', b.place?.file ?? '') ||
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
