import { isAbsolute, relative, sep } from 'node:path'
import type { Place } from '../sources/sources.ts'

/** A mistake in the wiring of routes, controllers and arguments. */
export interface Finding {
  /** Identifies the rule, for instance `argument-not-supplied`. */
  readonly code: string
  /** Undefined if the place is not known, as for classes that are not in a file of the project. */
  readonly place: Place | undefined
  /** One sentence that names what is wrong. */
  readonly message: string
  /** Correction of the mistake. Empty if the message says it. */
  readonly fix: string
  readonly controller?: string | undefined
  readonly action?: string | undefined
  readonly argument?: string | undefined
}

/** The findings of a rule. */
export type Findings = Iterable<Finding>

/** The rules whose findings may be right. */
const WARNINGS: ReadonlySet<string> = new Set([
  ...['args-no-text', 'cross-site-refused', 'message-superfluous', 'procedure-void', 'route-duplicate-name'],
])

/** Returns the severity of the findings of a rule. */
export function severityOf({ code }: Pick<Finding, 'code'>): 'error' | 'warning' {
  return WARNINGS.has(code) ? 'warning' : 'error'
}

/** Returns the correction of a name: the one that was probably meant, or other advice. */
export function didYouMean(meant: string | undefined, otherwise: string): string {
  return meant === undefined ? otherwise : `Did you mean "${meant}"?`
}

/** Returns a finding as data, with the path relative to a folder. */
export function findingData(finding: Finding, root: string) {
  const { code, place, message, fix, controller = null, action = null, argument = null } = finding
  const { line = null, column = null } = place ?? {}
  const file = place === undefined ? null : shownPath(place.file, root)
  const severity = severityOf(finding)
  return { code, severity, file, line, column, message, fix, controller, action, argument }
}

/** A finding as data. */
export type FindingData = Readonly<ReturnType<typeof findingData>>

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
    const key = place === undefined ? message : `${code} ${formatPlace(place, '/')} ${argument}`
    if (!byKey.has(key)) byKey.set(key, finding)
  }
  const order = ({ place }: Finding) => [place?.file ?? '', place?.line ?? 0, place?.column ?? 0] as const
  return [...byKey.values()].sort((a, b) => {
    const [[file, line, column], [otherFile, otherLine, otherColumn]] = [order(a), order(b)]
    return file < otherFile ? -1 : file > otherFile ? 1 : line - otherLine || column - otherColumn
  })
}
