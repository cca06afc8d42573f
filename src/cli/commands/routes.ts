/**
 * `propylon routes`: lists the routes.
 *
 * @module
 */

import { suspendStartChecks } from '../../app/start-check.ts'
import type { TableRow } from '../../routing/diagnose.ts'
import type { GuardedRoute, UnguardedAction } from '../../wiring/guards.ts'
import type { Command, Context } from '../command.ts'
import { readEnvFile, setVariables } from '../env-file.ts'
import { applicationFile, findProject, loadApplication, type Project, pathIn } from '../project.ts'
import { type Cell, columns, complain, print, styled } from '../terminal.ts'

/** `propylon routes [FILTER...]` */
export const routes: Command = {
  name: 'routes',
  summary: 'List the routes in the order in which they are matched',
  arguments: [
    {
      name: 'FILTER',
      optional: true,
      rest: true,
      summary: 'Words that a route must contain, in any column',
    },
  ],
  options: {
    guards: { type: 'boolean', summary: 'Show arguments, hooks and decorators, and what lacks a guard' },
    json: { type: 'boolean', summary: 'Print JSON' },
  },
  details: [
    'A guard can refuse a request before the action runs: __before__ of the class or of one that it extends,\nthe decorators authenticateForm, https, restrict and validate, and decorators of the application.\n--guards lists the actions that POST, PUT, PATCH or DELETE reach without one.',
  ],
  examples: [
    'propylon routes',
    'propylon routes users GET',
    'propylon routes --guards',
    'propylon routes --json | jq .[].path',
  ],
  importsProject: 'always',
  async run(parsed, context) {
    const project = findProject(context.cwd)
    setVariables(readEnvFile(project, undefined, context.cwd))
    const words = parsed.arguments.map((word) => word.toLowerCase())
    const { rows, unguarded } = parsed.flag('guards')
      ? await guardsOf(project)
      : { rows: await tableOf(project), unguarded: [] }
    const chosen = rows.filter((row) => {
      const text = [row.name, methodsOf(row.methods), row.path, row.controller, row.action]
        .join(' ')
        .toLowerCase()
      return words.every((word) => text.includes(word))
    })
    if (parsed.flag('json')) {
      print(context, JSON.stringify(chosen, null, 2))
      return 0
    }
    if (chosen.length === 0) {
      complain(
        context,
        words.length === 0 ? 'The mapper has no routes.' : 'No route contains all these words.',
      )
      return words.length === 0 ? 0 : 1
    }
    const titles = ['Name', 'Methods', 'Path', 'Controller', 'Action']
    if (parsed.flag('guards')) titles.push('Hooks', 'Decorators')
    const heading = titles.map((title) => styled('bold', title))
    print(context, ...columns([heading, ...chosen.map(cellsOf)]))
    if (words.length === 0) printUnguarded(context, unguarded)
    return 0
  },
}

async function tableOf(project: Project): Promise<readonly TableRow[]> {
  suspendStartChecks()
  const { mapper } = await loadApplication(project)
  return mapper.table()
}

async function guardsOf(project: Project) {
  suspendStartChecks()
  const { readWiring } = await import('../../wiring/check.ts')
  const { guardedRoutes, unguardedActions } = await import('../../wiring/guards.ts')
  const entry = pathIn(project, applicationFile(project))
  const { wiring } = await readWiring(await loadApplication(project), { entry, loads: true })
  return { rows: guardedRoutes(wiring), unguarded: unguardedActions(wiring) }
}

function cellsOf(row: TableRow | GuardedRoute): Cell[] {
  const cells: Cell[] = [
    row.name ?? '',
    methodsOf(row.methods),
    styled('cyan', row.path),
    row.redirect === null ? (row.controller ?? '') : `→ ${row.redirect}`,
  ]
  if (!('guards' in row)) return [...cells, row.action ?? '']
  const names = row.arguments.map(({ name, converter }) =>
    converter === null ? name : `${name}: ${converter}`,
  )
  const action =
    row.action === null || names.length === 0 ? (row.action ?? '') : `${row.action}(${names.join(', ')})`
  return [...cells, action, row.hooks.join(' '), row.decorators.join(' ')]
}

function printUnguarded(context: Context, unguarded: readonly UnguardedAction[]): void {
  const unsafe = unguarded.filter(({ methods }) => methods.length > 0)
  const open = unguarded.filter(({ methods }) => methods.length === 0)
  for (const { label, methods } of unsafe) {
    print(context, [styled('yellow', 'no guard:'), ` ${label} (${methods.join(', ')})`])
  }
  if (open.length === 0) return
  const labels = open.map(({ label }) => label).join(', ')
  print(context, [styled('yellow', 'no guard:'), ` any method reaches ${labels}`])
}

function methodsOf(methods: readonly string[] | null): string {
  return methods === null ? 'any' : methods.join(', ')
}
