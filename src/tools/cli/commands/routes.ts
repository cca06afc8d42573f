/**
 * `propylon routes`: lists the routes.
 *
 * @module
 */

import type { FrameworkApp } from '../../../app/framework-app.ts'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { type Cell, columns, complain, print, styled } from '../../../base/command-line/terminal.ts'
import { shownPlaces } from '../../../base/place.ts'
import type { TableRow } from '../../../routing/diagnose.ts'
import { projectWithSettings } from '../env-file.ts'
import { applicationFile, loadApplication, type Project, pathIn } from '../project.ts'
import type { GuardedAction, GuardedRoute } from '../route-tables.ts'

/** `propylon routes [FILTER...]` */
export const routes: Command = {
  name: 'routes',
  summary: 'List the routes in the order in which they are matched',
  arguments: [
    { name: 'FILTER', optional: true, rest: true, summary: 'Words that a route must contain, in any column' },
  ],
  options: {
    guards: { summary: 'Show hooks and decorators, who reaches each action, and what lacks a guard' },
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
    'propylon routes --json | jq .[].path',
  ],
  importsProject: 'always',
  async run(parsed, context) {
    const project = projectWithSettings(context.cwd)
    const words = parsed.arguments.map((word) => word.toLowerCase())
    const app = await loadApplication(project)
    const { rows, actions } = parsed.flag('guards')
      ? await guardsOf(project, app)
      : { rows: [...socketRows(app.socketClasses), ...app.mapper.table()], actions: [] }
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
    return 0
  },
}

/** A route, with what guards it in the table of guards. */
type Row = TableRow & Partial<GuardedRoute>

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
]

function plain(cell: Cell | null | undefined): string {
  return typeof cell === 'object' ? (cell?.text ?? '') : (cell ?? '')
}

/** Returns a row for each WebSocket. Handshakes reach them before any route. */
function socketRows(classes: ReadonlyMap<string, string | null>): TableRow[] {
  const others = { methods: ['WebSocket'], name: null, action: null, redirect: null, definedAt: null }
  return Array.from(classes, ([path, controller]) => ({ ...others, path, controller }))
}

async function guardsOf(project: Project, app: FrameworkApp) {
  const { guardedActions, guardedRoutes } = await import('../route-tables.ts')
  const { loadProject } = await import('../../check/project.ts')
  const checked = await loadProject(app, pathIn(project, applicationFile(project)), project.root)
  return { rows: guardedRoutes(checked), actions: guardedActions(checked) }
}

/** Prints who reaches each action, and the actions without a guard. */
function printActions(context: Context, actions: readonly GuardedAction[]): void {
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
