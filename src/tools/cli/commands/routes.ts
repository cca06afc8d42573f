/**
 * `propylon routes`: lists the routes.
 *
 * @module
 */

import type { FrameworkApp } from '../../../app/framework-app.ts'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { UsageError } from '../../../base/command-line/command-errors.ts'
import { type Cell, columns, complain, print, styled } from '../../../base/command-line/terminal.ts'
import { shownPlaces } from '../../../base/place.ts'
import type { TableRow } from '../../../routing/diagnose.ts'
import { projectWithSettings } from '../env-file.ts'
import { applicationFile, loadApplication, type Project, pathIn } from '../project.ts'
import type { GuardedAction, GuardedRoute, MovedRoute } from '../route-tables.ts'

/** `propylon routes [FILTER...]` */
export const routes: Command = {
  name: 'routes',
  summary: 'List the routes in the order in which they are matched',
  arguments: [
    { name: 'FILTER', optional: true, rest: true, summary: 'Words that a route must contain, in any column' },
  ],
  options: {
    guards: { summary: 'Show hooks and decorators, who reaches each action, and what lacks a guard' },
    moved: { summary: 'Show which routes an old application still answers, and how far the move is' },
    json: { summary: 'Print JSON' },
  },
  details: [
    'WebSockets come first, with their class as the controller. --guards leaves them out.',
    'A guard can refuse a request before the action runs. --guards lists who reaches each action, and the actions\nthat POST, PUT, PATCH or DELETE reach without a guard.',
  ],
  examples: [
    'propylon routes',
    'propylon routes users GET',
    'propylon routes --guards',
    'propylon routes --moved',
    'propylon routes --json | jq .[].path',
  ],
  importsProject: 'always',
  async run(parsed, context) {
    const project = projectWithSettings(context.cwd)
    if (parsed.flag('guards') && parsed.flag('moved')) {
      throw new UsageError('--guards and --moved cannot be combined', 'use one of them')
    }
    const words = parsed.arguments.map((word) => word.toLowerCase())
    const app = await loadApplication(project)
    const { rows, actions } = parsed.flag('guards')
      ? await guardsOf(project, app)
      : { rows: [...socketRows(app.socketClasses), ...(await rowsOf(project, app, parsed.flag('moved')))], actions: [] }
    const chosen = rows.filter((row) => {
      const text = COLUMNS.map(({ cell }) => plain(cell(row)))
        .join(' ')
        .toLowerCase()
      return words.every((word) => text.includes(word))
    })
    if (parsed.flag('json')) {
      const shown = chosen.map((row) => ({ ...row, definedAt: row.definedAt && shownPlaces(row.definedAt) }))
      print(context, JSON.stringify(shown, null, 2))
      return 0
    }
    if (chosen.length === 0) {
      complain(context, words.length === 0 ? 'The mapper has no routes.' : 'No route contains all these words.')
      return words.length === 0 ? 0 : 1
    }
    const shown = COLUMNS.filter(({ cell }) => chosen.some((row) => cell(row) != null))
    const heading = shown.map(({ title }) => styled('bold', title))
    print(context, ...columns([heading, ...chosen.map((row) => shown.map(({ cell }) => cell(row) ?? ''))]))
    if (words.length === 0 && actions.length > 0) printActions(context, actions)
    if (words.length === 0 && parsed.flag('moved')) printMove(context, rows)
    return 0
  },
}

/** A route with the members of one of the tables. */
type Row = TableRow & Partial<GuardedRoute & MovedRoute>

/** A column of the table. It is left out if no row has a cell for it. */
interface Column {
  readonly title: string
  cell(row: Row): Cell | null | undefined
}

const COLUMNS: readonly Column[] = [
  { title: 'Name', cell: ({ name }) => name ?? '' },
  { title: 'Methods', cell: ({ methods }) => methodsOf(methods) },
  { title: 'Path', cell: ({ path }) => styled('cyan', path) },
  {
    title: 'Controller',
    cell: ({ controller, redirect }) => (redirect === null ? (controller ?? '') : `→ ${redirect}`),
  },
  { title: 'Action', cell: ({ action }) => action ?? '' },
  { title: 'Hooks', cell: ({ hooks }) => hooks?.join(' ') },
  { title: 'Decorators', cell: ({ decorators }) => decorators?.join(' ') },
  { title: 'Moved', cell: ({ moved }) => moved && styled(moved === 'yes' ? 'green' : 'yellow', moved) },
]

function plain(cell: Cell | null | undefined): string {
  return typeof cell === 'object' ? (cell?.text ?? '') : (cell ?? '')
}

/** Returns a row for each WebSocket. Handshakes reach them before any route. */
function socketRows(classes: ReadonlyMap<string, string | null>): TableRow[] {
  const others = { methods: ['WebSocket'], name: null, action: null, redirect: null, definedAt: null }
  return Array.from(classes, ([path, controller]) => ({ ...others, path, controller }))
}

async function loaded(project: Project, app: FrameworkApp) {
  const { loadProject } = await import('../../check/project.ts')
  return loadProject(app, pathIn(project, applicationFile(project)), project.root)
}

async function rowsOf(project: Project, app: FrameworkApp, isMoved: boolean): Promise<readonly Row[]> {
  if (!isMoved) return app.mapper.table()
  const { movedRoutes } = await import('../route-tables.ts')
  return movedRoutes(await loaded(project, app))
}

/** Prints how many routes and controllers have moved. */
function printMove(context: Context, rows: readonly Row[]): void {
  const routes = rows.filter(({ moved, redirect }) => moved && redirect === null)
  const controllers = [...Map.groupBy(routes, ({ controller }) => controller ?? '')]
  const namesOf = (isIncluded: (moved: readonly Row['moved'][]) => boolean) =>
    controllers.filter(([, own]) => isIncluded(own.map(({ moved }) => moved))).map(([name]) => name)
  const parts = {
    'Have moved': namesOf((moved) => moved.every((one) => one === 'yes')),
    'Moved in part': namesOf((moved) => moved.includes('no action')),
    'Stay behind': namesOf((moved) => moved.every((one) => one === 'no controller')),
  }
  const done = routes.filter(({ moved }) => moved === 'yes').length
  print(context, '', `${done} of ${routes.length} routes with a controller have moved.`)
  for (const [title, names] of Object.entries(parts)) {
    if (names.length > 0) print(context, `${title}: ${names.join(', ')}.`)
  }
}

async function guardsOf(project: Project, app: FrameworkApp) {
  const { guardedActions, guardedRoutes, unsafeMethodsOf } = await import('../route-tables.ts')
  const checked = await loaded(project, app)
  const actions = guardedActions(checked).map((action) => ({ ...action, unsafe: unsafeMethodsOf(action) }))
  return { rows: guardedRoutes(checked), actions }
}

/** An action with the unsafe methods that reach it; null if any method does, and no route names an unsafe one. */
type ReachedAction = GuardedAction & { readonly unsafe: readonly string[] | null }

/** Prints who reaches each action, and the actions without a guard. */
function printActions(context: Context, actions: readonly ReachedAction[]): void {
  const heading = ['Action', 'Guards', 'Reached by'].map((title) => styled('bold', title))
  const rows = actions.map(({ label, guards, access }) => [
    styled('cyan', label),
    guards.join(' '),
    access
      .map(({ by, methods, path }) => [by, ...(methods?.length === 0 ? [] : [methodsOf(methods)]), path].join(' '))
      .join('; '),
  ])
  print(context, '', ...columns([heading, ...rows]))
  const lacking = actions.filter(({ guards }) => guards.length === 0)
  const unguarded = lacking.flatMap(({ label, unsafe }) =>
    unsafe === null || unsafe.length === 0 ? [] : [`${label} (${unsafe.join(', ')})`],
  )
  const open = lacking.filter(({ unsafe }) => unsafe === null).map(({ label }) => label)
  if (open.length > 0) unguarded.push(`any method reaches ${open.join(', ')}`)
  if (unguarded.length > 0) print(context, '')
  for (const text of unguarded) print(context, [styled('yellow', 'no guard:'), ` ${text}`])
}

function methodsOf(methods: readonly string[] | null): string {
  return methods === null ? 'any' : methods.join(', ')
}
