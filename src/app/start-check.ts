/**
 * Warnings about the wiring of an application when it starts in debug mode: the findings of `propylon check`.
 *
 * The checks and their parser are imported only then. Bundlers do not see the import, so bundles do not contain them.
 */
import type { Logger } from '../controllers/application.ts'
import type { Mapper } from '../routing/mapper.ts'
import { errorMessage, errorText } from '../wsgi/thrown.ts'
import type { WSGIApplication } from '../wsgi/types.ts'
import { FRAMEWORK_FOLDER } from './framework-folder.ts'
import type { ControllerRegistry } from './registry.ts'

/** The members of an application that are checked. */
export interface StartedApplication {
  readonly mapper: Mapper<unknown>
  readonly controllers: ControllerRegistry
  readonly logger: Logger
}

/** Number of reasons not to check applications that are created now. */
let suspensions = 0

/**
 * Prevents the check of applications that are created from now on: of reloaded ones, and of those that a command loads
 * without serving them.
 *
 * @returns a function that allows it again.
 */
export function suspendStartChecks(): () => void {
  let isSuspended = true
  suspensions += 1
  return () => {
    if (isSuspended) suspensions -= 1
    isSuspended = false
  }
}

/** Checks an application and logs a warning for each finding. Returns its WSGI application, whose first requests wait. */
export function afterStartCheck(app: StartedApplication, wsgi: WSGIApplication): WSGIApplication {
  let check = checkAtStart(app)?.then(() => {
    check = undefined
  })
  return (environ, start_response) =>
    check === undefined ? wsgi(environ, start_response) : check.then(() => wsgi(environ, start_response))
}

/**
 * Starts the check.
 *
 * @returns undefined if the application is not checked: the runtime has no files, or the process runs a test of the
 *   application itself.
 */
function checkAtStart(app: StartedApplication): Promise<void> | undefined {
  if (
    suspensions > 0 ||
    globalThis.process?.getBuiltinModule === undefined ||
    !import.meta.url?.startsWith('file:')
  )
    return undefined
  const entry = callingModule()
  if (isOwnTest(entry)) return undefined
  return logFindings(app, entry).catch((error: unknown) => {
    app.logger.error(`The wiring could not be checked\n${errorText(error)}`)
  })
}

async function logFindings(app: StartedApplication, entry: string | undefined): Promise<void> {
  const checks = await importChecks()
  if (checks === undefined) return
  for (const warning of await checks.startWarnings(app, entry)) app.logger.warn(warning)
}

/** The module of the checks. */
interface Checks {
  startWarnings(app: StartedApplication, entry: string | undefined): Promise<string[]>
}

/** Returns the checks, or undefined in a bundle, which does not contain them. */
async function importChecks(): Promise<Checks | undefined> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const { href } = new URL(`../wiring/start-warnings.${extension}`, import.meta.url)
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ href)
  } catch (error) {
    // Runtimes have errors of their own for a missing module. All name it.
    if (errorMessage(error).includes(href.slice(href.lastIndexOf('/') + 1))) return undefined
    throw error
  }
}

/** Returns the path of the module outside of the framework that creates the application, without a query. */
function callingModule(): string | undefined {
  const { fileURLToPath } = process.getBuiltinModule('node:url')
  const framework = FRAMEWORK_FOLDER && fileURLToPath(FRAMEWORK_FOLDER)
  for (const line of (new Error().stack ?? '').split('\n')) {
    // Node writes URLs, Bun paths.
    const place = /(file:\/\/\S+?|\/[^?]+?)(?:\?\S*?)?:\d+:\d+\)?$/.exec(line)?.[1]
    if (place === undefined) continue
    const path = place.startsWith('file:') ? fileURLToPath(place) : place
    if (framework === undefined || !path.startsWith(framework)) return path
  }
  return undefined
}

/**
 * Returns true if the process runs a test in the folder of the application. Its tests need not repeat what
 * `npm run typecheck` reports.
 */
function isOwnTest(entry: string | undefined): boolean {
  const { dirname, sep } = process.getBuiltinModule('node:path')
  const [, script] = process.argv
  if (process.env.NODE_TEST_CONTEXT === undefined || entry === undefined || script === undefined) return false
  return script !== entry && script.startsWith(dirname(entry) + sep)
}
