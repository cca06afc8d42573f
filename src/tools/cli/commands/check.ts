/**
 * `propylon check`: compares routes, controllers and actions.
 *
 * @module
 */

import type { FrameworkApp } from '../../../app/framework-app.ts'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { CommandError, quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { Progress } from '../../../base/command-line/progress.ts'
import { complain, print, styled, wrapped } from '../../../base/command-line/terminal.ts'
import { nearest } from '../../../base/suggest.ts'
import { errorMessage, errorSummary, isInstance, memberOf } from '../../../base/thrown.ts'
import { DeclarationError } from '../../../controllers/vocabulary.ts'
import { type Finding, findingData, formatPlace, severityOf } from '../../check/finding.ts'
import type { Project as CheckedProject } from '../../check/project.ts'
import { loadFailure } from '../../reload/load-failure.ts'
import { projectWithSettings } from '../env-file.ts'
import { leaveBehind, movedSetting } from '../moved.ts'
import { wholeNumber } from '../option-values.ts'
import { waitFor } from '../patience.ts'
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
    moved: {
      value: 'LIST',
      summary: 'Controllers that have moved from an old application, with commas between them',
    },
    timeout: { value: 'SECONDS', summary: `Time for the application to load (default: ${PATIENCE})` },
  },
  details: [
    'Loads the application, and compares its routes with its controllers: arguments that no route supplies,\nroutes to missing actions, actions without a route, misspelt hooks, unknown options, missing templates.',
    'Types are checked by the TypeScript of the project, which reads .propylon/controllers.ts. Do not commit it.',
    'Missing controllers and actions of controllers that --moved does not name are not reported. The setting\n"propylon": { "moved": ["books"] } in package.json does the same.',
    'The exit status is 1 if there is an error. Warnings alone leave it 0.',
  ],
  examples: ['propylon check', 'propylon check --moved books,admin/pages', 'propylon check --json | jq .[].message'],
  importsProject: 'always',
  async run(parsed, context) {
    const timeout = parsed.value('timeout') ?? PATIENCE
    const seconds = wholeNumber(timeout, 'a number of seconds for --timeout', 1, 999_999)
    const project = projectWithSettings(context.cwd)
    const json = parsed.flag('json')
    const moved = parsed.value('moved')?.split(/[\s,]+/) ?? settingOf(project)
    const { findings, onlyByDefault, behind, partly, untyped } = await checked(context, {
      ...project,
      seconds,
      moved,
    })
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

/** @throws UsageError - the setting is malformed. */
function settingOf({ root }: Project): readonly string[] | undefined {
  try {
    return movedSetting(root)
  } catch (error) {
    throw new UsageError(errorMessage(error))
  }
}

/** Options of a check. */
interface CheckOptions extends Project {
  readonly seconds: number
  /** The controllers that have moved completely. Undefined if the application does not move. */
  readonly moved: readonly string[] | undefined
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
interface Checked {
  readonly findings: readonly Finding[]
  /** The actions that no route names, but that a default route reaches. */
  readonly onlyByDefault: readonly string[]
  /** The controllers that stay behind, and those that lack actions. */
  readonly behind: readonly string[]
  readonly partly: readonly string[]
  /** The reason why types were not checked. */
  readonly untyped: string | undefined
}

async function checked(context: Context, options: CheckOptions): Promise<Checked> {
  using _progress = new Progress(context, 'Loading the application, and checking its controllers …')
  const { seconds, ...project } = options
  // Routes record where they are defined, unless NODE_ENV is production.
  if (process.env.NODE_ENV === 'production') process.env.NODE_ENV = 'development'
  const { loadProject } = await import('../../check/project.ts')
  const entry = pathIn(project, applicationFile(project))
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50 // The routing file is far from where the mapper throws.
  let app: FrameworkApp | undefined
  const loading = async () => {
    app = await loadApplication(project)
    return loadProject(app, entry, project.root)
  }
  try {
    const loaded = await waitFor(loading(), seconds * 1000).finally(watchProcess(context))
    if (loaded.kind === 'settled') return await findingsIn(loaded.value, options)
    const files = app === undefined ? [entry] : await controllerFilesOf(app)
    return notLoaded(await waitingFinding(loaded.kind, seconds, files))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return notLoaded(...(await loadFindings(error, project, entry)))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

async function findingsIn(project: CheckedProject, { root, moved }: CheckOptions): Promise<Checked> {
  const { findingsOf, onlyByDefault } = await import('../../check/check.ts')
  const { checkTypes } = await import('../../check/compiler.ts')

  const types = await checkTypes(project, root)
  const findings = findingsOf(project, types.findings)
  const all = {
    findings,
    behind: [],
    partly: [],
    onlyByDefault: onlyByDefault(project),
    untyped: types.skipped,
  }
  if (moved === undefined) return all
  requireKnown(moved, project)
  return { ...all, ...leaveBehind(findings, moved) }
}

async function controllerFilesOf(app: FrameworkApp): Promise<readonly string[]> {
  const { controllerFiles } = await import('../../check/project.ts')
  return controllerFiles(app)
}

function notLoaded(...findings: Finding[]): Checked {
  return { findings, onlyByDefault: [], behind: [], partly: [], untyped: undefined }
}

/** @throws UsageError - a name is neither a controller nor one that a route names. */
function requireKnown(moved: readonly string[], { entries, routes }: CheckedProject): void {
  const known = new Set([...entries.keys(), ...routes.flatMap(({ controller }) => controller ?? [])])
  const wrong = moved.find((name) => !known.has(name))
  if (wrong === undefined) return
  const meant = nearest(wrong, known)
  throw new UsageError(
    `the list of moved controllers has ${quoted(wrong)}, which is neither a controller nor named by a route`,
    meant === undefined ? undefined : `did you mean ${quoted(meant)}?`,
  )
}

/** Returns the finding for an application that waits for something when it should have loaded. */
async function waitingFinding(reason: 'late' | 'idle', seconds: number, files: readonly string[]): Promise<Finding> {
  const { pendingModule } = await import('../pending.ts')
  const pending = await pendingModule(files)
  const wait = pending?.text ?? 'a promise'
  const message =
    reason === 'idle'
      ? `The application can never finish loading: ${wait} does not end, and nothing is open that could end it.`
      : `The application has not finished loading after ${seconds} s: ${wait} has not ended.`
  return {
    code: 'application-unloadable',
    place: pending?.place,
    message,
    fix: 'Do not wait for a server at the top level of a module: connect when a request first needs it. If loading takes long, use --timeout SECONDS.',
  }
}

/** Returns the findings for an application that does not load. */
async function loadFindings({ message, cause }: CommandError, { root }: Project, entry: string): Promise<Finding[]> {
  const { Sources } = await import('../../sources/sources.ts')
  const sources = new Sources([entry])
  if (isInstance(cause, DeclarationError)) {
    return cause.faults.map(({ owner, property, message, fix }) => ({
      code: 'static-unread',
      place: sources.ofEntry(owner, property),
      message,
      fix,
    }))
  }
  const failure = loadFailure(cause, root, () => sources.paths)
  const { path, line = 1, column = 1 } = failure.place ?? {}
  const place = path === undefined ? undefined : { file: path, line, column }
  if (isDefinitionError(cause)) {
    const problem = cause.message.replace(/\n {2}fix: .*$/s, '')
    return [{ code: 'route-definition', place, message: problem, fix: cause.fix }]
  }
  return [
    {
      code: 'application-unloadable',
      place,
      message: `${message}: ${errorSummary(cause).replace(/[.\s]+$/, '')}.`,
      fix: 'Routes and controllers are checked once it loads.',
    },
  ]
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
