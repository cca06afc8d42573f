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

/** The rules with their severities. Findings of a warning may be right. */
const RULES = {
  'action-missing': 'error',
  'action-unreached': 'error',
  'application-unloadable': 'error',
  'args-no-schema': 'error',
  'args-no-text': 'warning',
  'args-object': 'error',
  'args-unknown': 'error',
  'argument-not-supplied': 'error',
  'argument-type': 'error',
  'body-form-missing': 'error',
  'body-list': 'error',
  'body-repeated': 'error',
  'body-unread': 'error',
  'controller-missing': 'error',
  'controller-unreached': 'error',
  'controller-unreadable': 'error',
  'decorated-method-missing': 'error',
  'decorator-method-missing': 'error',
  'field-member': 'error',
  'finally-early': 'error',
  'hook-misspelt': 'error',
  'member-reserved': 'error',
  'message-superfluous': 'warning',
  'message-unknown': 'error',
  'message-values': 'error',
  'method-case': 'error',
  'promise-dropped': 'error',
  'result-forgotten': 'warning',
  'result-type': 'error',
  'result-unusable': 'error',
  'route-definition': 'error',
  'route-duplicate-name': 'warning',
  'route-option-unknown': 'error',
  'route-unreachable': 'error',
  'schema-undescribed': 'warning',
  'static-unknown': 'error',
  'static-unread': 'error',
  'tool-name': 'error',
  'static-value': 'error',
  'status-undocumented': 'warning',
  'syntax-unsupported': 'error',
  'template-missing': 'error',
  'template-route-unknown': 'error',
  'tool-unreached': 'error',
} as const satisfies Record<string, 'error' | 'warning'>

/** The name of a rule. */
export type FindingCode = keyof typeof RULES

/** Returns the severity of the findings of a rule. */
export function severityOf({ code }: Pick<Finding, 'code'>): 'error' | 'warning' {
  return RULES[code]
}

/** Returns the correction of a name: the one that was probably meant, or other advice. */
export function didYouMean(meant: string | undefined, otherwise: string): string {
  return meant === undefined ? otherwise : `Did you mean "${meant}"?`
}

/** Returns a finding as data, with the path relative to a folder. */
export function findingData(finding: Finding, root: string) {
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

/** A finding as data. */
export type FindingData = Readonly<ReturnType<typeof findingData>>

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
