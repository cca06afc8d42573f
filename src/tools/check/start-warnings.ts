import { dirname } from 'node:path'
import { errorText } from '../../base/thrown.ts'
import type { Logger } from '../../controllers/application.ts'
import { type CheckedApplication, findingsOf, readProject } from './check.ts'
import { type FindingCode, formatFinding } from './finding.ts'
import { leaveBehind, movedSetting } from './moved.ts'

/** Findings that the application logs itself, as soon as it is created. */
const LOGGED: ReadonlySet<FindingCode> = new Set(['route-unreachable', 'route-duplicate-name'])

/** The members of an application that are checked. */
export interface StartedApplication extends CheckedApplication {
  readonly logger: Logger
}

/**
 * Logs a warning for each finding of `propylon check` in an application that is served in debug mode. Loads no controller,
 * so that each is still loaded by the first request that needs it. Never rejects.
 *
 * @param entry - path of the module that creates the application.
 */
export async function logStartWarnings(app: StartedApplication, entry: string): Promise<void> {
  try {
    const all = findingsOf(await readProject(app, { entry, loads: false }))
    const moved = movedSetting(dirname(entry))
    const findings = moved === undefined ? all : leaveBehind(all, moved).findings
    for (const finding of findings) {
      if (!LOGGED.has(finding.code)) app.logger.warn(formatFinding(finding, process.cwd()))
    }
  } catch (error) {
    app.logger.error(`The wiring could not be checked\n${errorText(error)}`)
  }
}
