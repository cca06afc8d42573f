/**
 * `propylon check`: compares routes, controllers and actions.
 *
 * @module
 */

import { Worker } from 'node:worker_threads'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { CommandError, quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { Progress } from '../../../base/command-line/progress.ts'
import { complain, print, styled, wrapped } from '../../../base/command-line/terminal.ts'
import { nearest } from '../../../base/suggest.ts'
import { errorSummary, isInstance, memberOf } from '../../../base/thrown.ts'
import { DeclarationError } from '../../../controllers/declaration-faults.ts'
import type { Checked } from '../../check/check.ts'
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
    moved: { value: 'LIST', summary: 'Controllers that have moved from an old application, with commas between them' },
    timeout: { value: 'SECONDS', summary: `Time for the application to load (default: ${PATIENCE})` },
  },
  details: [
    'Loads the application, and compares its routes with its controllers: arguments that no route supplies,\nroutes to missing actions, actions without a route, misspelt hooks, unknown options, missing templates.',
    'Types are checked by the TypeScript of the project, which reads .propylon/controllers.ts. Do not commit it.',
    'If FrameworkApp has a fallback, which answers for missing controllers and actions, these are reported only for\ncontrollers that --moved names.',
    'The exit status is 1 if there is an error. Warnings alone leave it 0.',
  ],
  examples: ['propylon check', 'propylon check --moved books,admin/pages', 'propylon check --json | jq .[].message'],
  importsProject: 'always',
  async run(parsed, context) {
    const timeout = parsed.value('timeout') ?? PATIENCE
    const seconds = wholeNumber(timeout, 'a number of seconds for --timeout', 1, 999_999)
    const project = projectWithSettings(context.cwd)
    const json = parsed.flag('json')
    const moved = parsed.value('moved')?.split(/[\s,]+/)
    const { findings, onlyByDefault, behind, partly, untyped } = await checked(context, project, seconds, moved)
    if (json) {
      const data = findings.map((finding) => findingData(finding, project.root))
      print(context, JSON.stringify(data, null, 2))
    } else {
      printFindings(context, findings, project)
      if (onlyByDefault.length > 0) {
        print(context, `Only the default routes reach ${onlyByDefault.join(', ')}. This is not an error.`)
      }
      if (behind.length > 0) print(context, `Stay behind: ${behind.join(', ')}.`)
      if (partly.length > 0) print(context, `Moved in part: ${partly.join(', ')}.`)
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

/**
 * Ends the process if a loop of the application blocks it, so that no timer of this thread fires. Returns a function
 * that stops this.
 */
function watchThread(seconds: number): () => void {
  const text = `The application has not finished loading after ${seconds} s: its code blocks the process.\n`
  const report = `require('node:fs').writeSync(2, ${JSON.stringify(text)}); process.kill(process.pid, 'SIGKILL')`
  // The finding of this thread comes first, unless the thread is blocked.
  const worker = new Worker(`setTimeout(() => { ${report} }, ${(seconds + 1) * 1000})`, { eval: true })
  return () => void worker.terminate()
}

/** Result of a check. */
interface CheckedApplication extends Checked {
  /** The actions that no route names, but that a default route reaches. */
  readonly onlyByDefault: readonly string[]
  /** The reason why types were not checked. */
  readonly untyped: string | undefined
}

async function checked(
  context: Context,
  project: Project,
  seconds: number,
  moved: readonly string[] | undefined,
): Promise<CheckedApplication> {
  using _progress = new Progress(context, 'Loading the application, and checking its controllers …')
  // Routes record where they are defined, unless NODE_ENV is production.
  if (process.env.NODE_ENV === 'production') process.env.NODE_ENV = 'development'
  const { loadProject } = await import('../../check/project.ts')
  const entry = pathIn(project, applicationFile(project))
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50 // The routing file is far from where the mapper throws.
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, seconds * 1000, undefined)
  const stops = [watchProcess(context), watchThread(seconds), () => clearTimeout(timer)]
  try {
    const loading = loadApplication(project).then((app) => loadProject(app, entry, project.root))
    const loaded = await Promise.race([loading, late]).finally(() => {
      for (const stop of stops) stop()
    })
    return loaded === undefined ? notLoaded(waitingFinding(seconds)) : await findingsIn(loaded, project, moved)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return notLoaded(...(await loadFindings(error, project, entry)))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

async function findingsIn(
  project: CheckedProject,
  { root }: Project,
  moved: readonly string[] | undefined,
): Promise<CheckedApplication> {
  requireKnown(moved ?? [], project)
  const { findingsOf, onlyByDefault } = await import('../../check/check.ts')
  const { checkTypes } = await import('../../check/compiler.ts')
  const { findings, skipped } = await checkTypes(project, root)
  return { ...findingsOf(project, findings, moved), onlyByDefault: onlyByDefault(project), untyped: skipped }
}

function notLoaded(...findings: Finding[]): CheckedApplication {
  return { findings, behind: [], partly: [], onlyByDefault: [], untyped: undefined }
}

/** @throws UsageError - a name is neither a controller nor one that a route names. */
function requireKnown(moved: readonly string[], { entries, routes }: CheckedProject): void {
  const known = new Set([...entries.keys(), ...routes.flatMap(({ controller }) => controller ?? [])])
  const wrong = moved.find((name) => !known.has(name))
  if (wrong === undefined) return
  const meant = nearest(wrong, known)
  throw new UsageError(
    `--moved names ${quoted(wrong)}, which is neither a controller nor named by a route`,
    meant === undefined ? undefined : `did you mean ${quoted(meant)}?`,
  )
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
  const problem = `${message}: ${errorSummary(cause).replace(/[.\s]+$/, '')}.`
  const fix = 'Routes and controllers are checked once it loads.'
  return [{ code: 'application-unloadable', place, message: problem, fix }]
}

/** Returns true for a RouteDefinitionError, also of another copy of this package. */
function isDefinitionError(error: unknown): error is Error & { readonly fix: string } {
  return isInstance(error, Error) && memberOf(error, 'name') === 'RouteDefinitionError' && 'fix' in error
}

function printFindings(context: Context, findings: readonly Finding[], project: Project): void {
  if (findings.length === 0) {
    print(context, 'Routes, controllers, actions and arguments fit together.')
    return
  }
  for (const finding of findings) printFinding(context, finding, project)
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => severityOf(finding) === severity).length
    return count === 0 ? [] : `${count} ${severity}${count === 1 ? '' : 's'}`
  })
  print(context, counts.join(', '))
}

/** Prints a finding: wrapped in a terminal, and in one line for a program. */
function printFinding(context: Context, finding: Finding, { root }: Project): void {
  const { code, place, message, fix } = finding
  const severity = severityOf(finding)
  const style = severity === 'error' ? 'red' : 'yellow'
  const where = styled('cyan', place === undefined ? '' : `${formatPlace(place, root)} `)
  if (context.stdout.isTTY !== true) {
    print(context, [where, styled(style, `${severity}:`), ` ${fix === '' ? message : `${message} ${fix}`} [${code}]`])
    return
  }
  const width = Math.min(context.stdout.columns ?? 80, 100) - 2
  const text = [message, fix]
    .filter((part) => part !== '')
    .flatMap((part) => wrapped(part, width))
    .map((line) => `  ${line}`)
  print(context, [where, styled(style, severity), ` ${code}`], ...text, '')
}
