/**
 * `propylon check`: compares routes, controllers and actions.
 *
 * @module
 */

import type { Command, Context } from '../../../base/command-line/command.ts'
import { CommandError } from '../../../base/command-line/command-errors.ts'
import { Progress } from '../../../base/command-line/progress.ts'
import { complain, print, styled } from '../../../base/command-line/terminal.ts'
import { errorSummary, isInstance, memberOf } from '../../../base/thrown.ts'
import { DeclarationError } from '../../../controllers/declaration-faults.ts'
import { type Finding, findingData, formatPlace, severityOf } from '../../check/finding.ts'
import type { Project as CheckedProject } from '../../check/project.ts'
import { loadFailure } from '../../reload/load-failure.ts'
import { projectWithSettings } from '../env-file.ts'
import { wholeNumber } from '../option-values.ts'
import { applicationFile, loadApplication, type Project, pathIn } from '../project.ts'

/** Time for an application to load, in seconds. */
const PATIENCE = '15'

/** `propylon check` */
export const check: Command = {
  name: 'check',
  summary: 'Check that routes, controllers, actions and arguments fit together',
  arguments: [],
  options: {
    json: { summary: 'Print JSON' },
    timeout: { value: 'SECONDS', summary: `Time for the application to load (default: ${PATIENCE})` },
  },
  details: [
    'Loads the application, and compares its routes with its controllers: arguments that no route supplies,\nroutes to missing actions, controllers without a route, misspelt hooks, unknown options, missing templates.',
    'Types are checked by the TypeScript of the project, which reads .propylon/controllers.ts. Do not commit it.',
    'If FrameworkApp has a fallback, which answers for missing controllers and actions, these are not reported.',
    'The exit status is 1 if there is an error. Warnings alone leave it 0.',
  ],
  examples: ['propylon check', 'propylon check --json | jq .[].message'],
  importsProject: 'always',
  async run(parsed, context) {
    const timeout = parsed.value('timeout') ?? PATIENCE
    const seconds = wholeNumber(timeout, 'a number of seconds for --timeout', 1, 999_999)
    const project = projectWithSettings(context.cwd)
    const json = parsed.flag('json')
    const { findings, onlyByDefault, untyped } = await checked(context, project, seconds)
    if (json) {
      const data = findings.map((finding) => findingData(finding, project.root))
      print(context, JSON.stringify(data, null, 2))
    } else {
      printFindings(context, findings, project)
      if (onlyByDefault.length > 0) {
        print(context, `Only the default routes reach ${onlyByDefault.join(', ')}. This is not an error.`)
      }
      if (untyped !== undefined) print(context, `Types were not checked: ${untyped}.`)
    }
    return findings.some((finding) => severityOf(finding) === 'error') ? 1 : 0
  },
}

/** Reports an application that ends the process. Returns a function that stops this. */
function watchProcess(context: Context): () => void {
  const reportExit = () => {
    complain(context, 'The application ended the process while it loaded. Remove process.exit().')
    process.exitCode = 1
  }
  const before = new Set(process.listeners('exit'))
  process.once('exit', reportExit)
  return () => {
    // Handlers of the application do not run either: one that never ends would block the process.
    for (const listener of process.listeners('exit')) if (!before.has(listener)) process.off('exit', listener)
  }
}

/** Result of a check. */
interface CheckedApplication {
  readonly findings: readonly Finding[]
  /** The actions that no route names, but that a default route reaches. */
  readonly onlyByDefault: readonly string[]
  /** The reason why types were not checked. */
  readonly untyped: string | undefined
}

async function checked(context: Context, project: Project, seconds: number): Promise<CheckedApplication> {
  using _progress = new Progress(context, 'Loading the application, and checking its controllers …')
  // Routes record where they are defined, unless NODE_ENV is production.
  if (process.env.NODE_ENV === 'production') process.env.NODE_ENV = 'development'
  const { loadProject } = await import('../../check/project.ts')
  const entry = pathIn(project, applicationFile(project))
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50 // The routing file is far from where the mapper throws.
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, seconds * 1000, undefined)
  const stopWatching = watchProcess(context)
  try {
    const loading = loadApplication(project).then((app) => loadProject(app, entry, project.root))
    const loaded = await Promise.race([loading, late]).finally(() => {
      clearTimeout(timer)
      stopWatching()
    })
    return loaded === undefined ? notLoaded(waitingFinding(seconds)) : await findingsIn(loaded, project)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return notLoaded(...(await loadFindings(error, project, entry)))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

async function findingsIn(project: CheckedProject, { root }: Project): Promise<CheckedApplication> {
  const { findingsOf, onlyByDefault } = await import('../../check/check.ts')
  const { checkTypes } = await import('../../check/compiler.ts')
  const { findings, skipped } = await checkTypes(project, root)
  return { findings: findingsOf(project, findings), onlyByDefault: onlyByDefault(project), untyped: skipped }
}

function notLoaded(...findings: Finding[]): CheckedApplication {
  return { findings, onlyByDefault: [], untyped: undefined }
}

/** Returns the finding for an application that waits for something when it should have loaded. */
function waitingFinding(seconds: number): Finding {
  const message = `The application has not finished loading after ${seconds} s: an await at the top level of a module does not end.`
  const fix =
    'Do not wait for a server there: connect when a request first needs it. If loading takes long, use --timeout SECONDS.'
  return { code: 'application-unloadable', place: undefined, message, fix }
}

/** Returns the findings for an application that does not load. */
async function loadFindings({ message, cause }: CommandError, { root }: Project, entry: string): Promise<Finding[]> {
  const { Sources } = await import('../../sources/sources.ts')
  const sources = new Sources([entry])
  if (isInstance(cause, DeclarationError)) {
    return cause.faults.map(({ code, owner, property, message, fix }) => {
      return { code, place: sources.ofEntry(owner, property), message, fix }
    })
  }
  const failure = loadFailure(cause, root, () => sources.paths)
  const { path, line = 1, column = 1 } = failure.place ?? {}
  const place = path === undefined ? undefined : { file: path, line, column }
  if (isDefinitionError(cause)) {
    const problem = cause.message.replace(/\n {2}fix: .*$/s, '')
    return [{ code: 'route-definition', place, message: problem, fix: cause.fix }]
  }
  const reason = `${message}: ${errorSummary(cause).replace(/[.\s]+$/, '')}.`
  const fix = 'Routes and controllers are checked once it loads.'
  return [{ code: 'application-unloadable', place, message: reason, fix }]
}

/** Returns true for a RouteDefinitionError, also of another copy of this package. */
function isDefinitionError(error: unknown): error is Error & { readonly fix: string } {
  return isInstance(error, Error) && memberOf(error, 'name') === 'RouteDefinitionError' && 'fix' in error
}

/** Prints each finding in one line, as programs that match problems expect. */
function printFindings(context: Context, findings: readonly Finding[], project: Project): void {
  if (findings.length === 0) {
    print(context, 'Routes, controllers, actions and arguments fit together.')
    return
  }
  for (const finding of findings) {
    const { code, place, message, fix } = finding
    const severity = severityOf(finding)
    const where = styled('cyan', place === undefined ? '' : `${formatPlace(place, project.root)} `)
    const kind = styled(severity === 'error' ? 'red' : 'yellow', `${severity}:`)
    print(context, [where, kind, ` ${`${message} ${fix}`.trimEnd()} [${code}]`])
  }
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => severityOf(finding) === severity).length
    return count === 0 ? [] : `${count} ${severity}${count === 1 ? '' : 's'}`
  })
  print(context, counts.join(', '))
}
