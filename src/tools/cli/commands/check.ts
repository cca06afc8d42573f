/**
 * `propylon check`: compares routes, controllers and actions.
 *
 * @module
 */

import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FrameworkApp } from '../../../app/framework-app.ts'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { CommandError, quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { Progress } from '../../../base/command-line/progress.ts'
import { complain, print, styled, wrapped } from '../../../base/command-line/terminal.ts'
import { FRAMEWORK_FOLDER } from '../../../base/framework-folder.ts'
import { nearest } from '../../../base/suggest.ts'
import { errorMessage, errorSummary, isInstance, memberOf } from '../../../base/thrown.ts'
import { DeclarationError } from '../../../controllers/vocabulary.ts'
import type { BlockedOptions } from '../../check/blocked.ts'
import { type Finding, findingData, formatPlace, severityOf } from '../../check/finding.ts'
import { leaveBehind, movedSetting } from '../../check/moved.ts'
import type { Wiring } from '../../check/wiring.ts'
import { projectWithSettings } from '../env-file.ts'
import { wholeNumber } from '../option-values.ts'
import { openResources, waitFor } from '../patience.ts'
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
    'Reads the sources of the controllers, and reports what the compiler cannot see: arguments that no route\nsupplies, types that they cannot have, routes to missing actions, actions without a route, misspelt hooks,\nunknown options.',
    'If tsconfig.json includes .propylon/*.ts, as in a created project, the check writes\n.propylon/controllers.ts. With that file, tsc compares static args, results, pages and statuses with the\nactions. With .propylon/messages.ts, it checks the keys and values of t(). Do not commit them.',
    'While an application moves, --moved names the controllers that have moved completely. Missing controllers and\nactions of all others stay behind and are not reported. The setting "propylon": { "moved": ["books"] } in\npackage.json does the same.',
    'The exit status is 1 if there is an error. Warnings alone leave it 0.',
  ],
  examples: [
    'propylon check',
    'propylon check --moved books,admin/pages',
    'propylon check --json | jq .[].message',
  ],
  importsProject: 'always',
  async run(parsed, context) {
    const timeout = parsed.value('timeout') ?? PATIENCE
    const seconds = wholeNumber(timeout, 'a number of seconds for --timeout', 1, 999_999)
    const project = projectWithSettings(context.cwd)
    const json = parsed.flag('json')
    const moved = parsed.value('moved')?.split(/[\s,]+/) ?? settingOf(project)
    const { findings, onlyByDefault, behind, partly } = await checked(context, {
      ...project,
      seconds,
      json,
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
interface CheckOptions extends Project, BlockedOptions {
  /** The controllers that have moved completely. Undefined if the application does not move. */
  readonly moved: readonly string[] | undefined
}

/** Reports an application that ends the process or blocks its thread. Returns a function that stops this, worker and all. */
function watchProcess(context: Context, { root, seconds, json }: CheckOptions): () => Promise<unknown> {
  const reportExit = () => {
    complain(context, 'The application ended the process while it loaded. Remove process.exit().')
    process.exitCode = 1
  }
  const before = new Set(process.listeners('exit'))
  process.once('exit', reportExit)
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const module = new URL(`tools/check/blocked.${extension}`, FRAMEWORK_FOLDER)
  const workerData: BlockedOptions = { root, seconds, json }
  const worker = new Worker(module, { workerData })
  worker.unref()
  return () => {
    // Handlers of the application do not run either: one that never ends would block the process without its watch.
    for (const listener of process.listeners('exit')) if (!before.has(listener)) process.off('exit', listener)
    return worker.terminate()
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
}

async function checked(context: Context, options: CheckOptions): Promise<Checked> {
  using _progress = new Progress(context, 'Loading the application, and reading its controllers …')
  const { seconds, ...project } = options
  // Routes record where they are defined, unless NODE_ENV is production.
  if (process.env.NODE_ENV === 'production') process.env.NODE_ENV = 'development'
  const { checkUnloadable, checkUnread, findingsOf, readProject } = await import('../../check/check.ts')
  const { onlyByDefault } = await import('../../check/reach.ts')
  const entry = pathIn(project, applicationFile(project))
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50 // The routing file is far from where the mapper throws.
  let app: FrameworkApp | undefined
  const reading = async () => {
    app = await loadApplication(project)
    return readProject(app, { entry, loads: true })
  }
  try {
    const read = await waitFor(reading(), seconds * 1000).finally(watchProcess(context, options))
    if (read.kind === 'settled') {
      if (app !== undefined) {
        const { writeTypeModules } = await import('../type-modules.ts')
        writeTypeModules(context, project, app, read.value)
      }
      const { wiring } = read.value
      const findings = findingsOf(read.value)
      const all = { findings, behind: [], partly: [], onlyByDefault: onlyByDefault(wiring) }
      if (options.moved === undefined) return all
      requireKnown(options.moved, wiring)
      return { ...all, ...leaveBehind(findings, options.moved) }
    }
    const files = app === undefined ? [entry] : controllerFiles(app)
    return notLoaded(await waitingFinding(read.kind, seconds, files))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    if (isInstance(error.cause, DeclarationError)) return notLoaded(...checkUnread(entry, error.cause))
    const unsupported = isSyntaxError(error.cause) ? checkUnloadable(entry) : []
    return notLoaded(...(unsupported.length > 0 ? unsupported : [await loadFinding(error, project)]))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function notLoaded(...findings: Finding[]): Checked {
  return { findings, onlyByDefault: [], behind: [], partly: [] }
}

/** @throws UsageError - a name is neither a controller nor one that a route names. */
function requireKnown(moved: readonly string[], { entries, routes }: Wiring): void {
  const known = new Set([...entries.keys(), ...routes.flatMap(({ controller }) => controller ?? [])])
  const wrong = moved.find((name) => !known.has(name))
  if (wrong === undefined) return
  const meant = nearest(wrong, known)
  throw new UsageError(
    `the list of moved controllers has ${quoted(wrong)}, which is neither a controller nor named by a route`,
    meant === undefined ? undefined : `did you mean ${quoted(meant)}?`,
  )
}

function controllerFiles({ controllers }: FrameworkApp): string[] {
  return [...controllers.sources().values()].flatMap((source) =>
    source instanceof URL ? [fileURLToPath(source)] : [],
  )
}

/** Returns the finding for an application that waits for something when it should have loaded. */
async function waitingFinding(
  reason: 'late' | 'idle',
  seconds: number,
  files: readonly string[],
): Promise<Finding> {
  const open = openResources()
  const { pendingModules } = await import('../../check/pending.ts')
  const [pending] = await pendingModules(files)
  const wait = pending?.text ?? 'a promise'
  const message =
    reason === 'idle'
      ? `The application can never finish loading: ${wait} does not end, and nothing is open that could end it.`
      : `The application has not finished loading after ${seconds} s: ${wait} has not ended.`
  return {
    code: 'application-unloadable',
    place: pending?.place,
    message: open === '' ? message : `${message} Open: ${open}.`,
    fix: 'Do not wait for a server at the top level of a module: connect when a request first needs it. If loading takes long, use --timeout SECONDS.',
  }
}

/** Returns the finding for an application that does not load. */
async function loadFinding({ message, cause }: CommandError, { root }: Project): Promise<Finding> {
  const { placeInProject } = await import('../../check/stack.ts')
  const place = isInstance(cause, Error) ? placeInProject(cause, root) : undefined
  if (isDefinitionError(cause)) {
    return {
      code: 'route-definition',
      place,
      message: cause.message.replace(/\n {2}fix: .*$/s, ''),
      fix: cause.fix,
    }
  }
  return {
    code: 'application-unloadable',
    place,
    message: `${message}: ${errorSummary(cause).replace(/[.\s]+$/, '')}.`,
    fix: 'Routes and controllers are checked once it loads.',
  }
}

/** Returns true for the error of a module that has syntax of TypeScript that Node does not run. */
function isSyntaxError(error: unknown): boolean {
  return memberOf(error, 'code') === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
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
    print(context, [where, styled(style, `${severity}:`), ` ${message} ${fix} [${code}]`])
    return
  }
  const width = Math.min(context.stdout.columns ?? 80, 100) - 2
  const text = [message, fix].flatMap((part) => wrapped(part, width)).map((line) => `  ${line}`)
  print(context, [where, styled(style, severity), ` ${code}`], ...text, '')
}
