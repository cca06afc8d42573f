import { suspendStartChecks } from '../../app/start-check.ts'
import type { Command } from '../command.ts'
import { readEnvFile, setVariables } from '../env-file.ts'
import { findProject, loadApplication } from '../project.ts'
import { columns, complain, print, styled } from '../terminal.ts'

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
  options: { json: { type: 'boolean', summary: 'Print JSON' } },
  examples: ['propylon routes', 'propylon routes users GET', 'propylon routes --json | jq .[].path'],
  importsProject: 'always',
  async run(parsed, context) {
    const project = findProject(context.cwd)
    setVariables(readEnvFile(project, undefined, context.cwd))
    suspendStartChecks()
    const { mapper } = await loadApplication(project)
    const words = parsed.arguments.map((word) => word.toLowerCase())
    const rows = [...mapper.table()].filter((route) => {
      const text = [route.name, methodsOf(route.methods), route.path, route.controller, route.action]
        .join(' ')
        .toLowerCase()
      return words.every((word) => text.includes(word))
    })
    if (parsed.flag('json')) {
      print(context, JSON.stringify(rows, null, 2))
      return 0
    }
    if (rows.length === 0) {
      complain(
        context,
        words.length === 0 ? 'The mapper has no routes.' : 'No route contains all these words.',
      )
      return words.length === 0 ? 0 : 1
    }
    const heading = ['Name', 'Methods', 'Path', 'Controller', 'Action'].map((title) => styled('bold', title))
    const lines = rows.map((route) => [
      route.name ?? '',
      methodsOf(route.methods),
      styled('cyan', route.path),
      route.redirect === null ? (route.controller ?? '') : `→ ${route.redirect}`,
      route.action ?? '',
    ])
    print(context, ...columns([heading, ...lines]))
    return 0
  },
}

function methodsOf(methods: readonly string[] | null): string {
  return methods === null ? 'any' : methods.join(', ')
}
