import { loadApplication } from '../application.ts'
import type { Command } from '../command.ts'
import { findProject } from '../project.ts'
import { columns, complain, print, styled } from '../terminal.ts'

/** `propylon routes [FILTER...]` */
export const routes: Command = {
  name: 'routes',
  summary: 'List the routes in the order in which they are tried',
  arguments: [
    {
      name: 'FILTER',
      optional: true,
      rest: true,
      summary: 'Words that a route must hold, in any of its columns',
    },
  ],
  options: { json: { type: 'boolean', summary: 'Print JSON' } },
  examples: ['propylon routes', 'propylon routes users GET', 'propylon routes --json | jq .[].path'],
  importsProject: 'always',
  async run(invocation, surroundings) {
    const { mapper } = await loadApplication(findProject(surroundings.cwd))
    const words = invocation.arguments.map((word) => word.toLowerCase())
    const rows = [...mapper.table()].filter((route) => {
      const text = [route.name, methodsOf(route.methods), route.path, route.controller, route.action]
        .join(' ')
        .toLowerCase()
      return words.every((word) => text.includes(word))
    })
    if (invocation.flag('json')) {
      print(surroundings, JSON.stringify(rows, null, 2))
      return 0
    }
    if (rows.length === 0) {
      complain(
        surroundings,
        words.length === 0 ? 'The mapper has no routes.' : 'No route holds all these words.',
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
    print(surroundings, ...columns([heading, ...lines]))
    return 0
  },
}

function methodsOf(methods: readonly string[] | null): string {
  return methods === null ? 'any' : methods.join(', ')
}
