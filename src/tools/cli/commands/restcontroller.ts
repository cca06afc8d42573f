/**
 * `propylon restcontroller`: creates a resource.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { argument, type Command } from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { print } from '../../../base/command-line/terminal.ts'
import { migrationFiles } from '../migration-files.ts'
import { type ControllerName, controllerName } from '../names.ts'
import { findProject, pathIn, readFile } from '../project.ts'
import { parseFields } from '../resource-fields.ts'
import { hasDatabase, resourceFiles, resourceLine, routeNames } from '../resource-files.ts'
import { checkRoutes, withRoute } from '../routing-file.ts'
import { carryOut, checkNoController, checkNoTest } from '../scaffold.ts'

/** The option of an application that has templates. */
const TEMPLATES = "templates: new URL('./templates/', import.meta.url)"

/** `propylon restcontroller SINGULAR PLURAL [FIELD:TYPE...]` */
export const restcontroller: Command = {
  name: 'restcontroller',
  summary: 'Create a REST resource: controller, model, pages and tests, and its table if there is a database',
  arguments: [
    { name: 'SINGULAR', summary: 'Name of one item: comment' },
    { name: 'PLURAL', summary: 'Name of several, optionally with a directory: comments' },
    {
      name: 'FIELD',
      optional: true,
      rest: true,
      summary: 'Fields with their types: title pages:int sold:date? (default: title)',
    },
  ],
  options: {
    route: { summary: 'Add the printed line to config/routing.ts' },
    memory: { summary: 'Keep the data in memory, also if the project has a database' },
    'no-test': { summary: 'Omit the test' },
    'dry-run': { short: 'n', summary: 'List the files without writing them' },
  },
  details: [
    'The files have the name and the directory of the plural. Add the printed line to\nconfig/routing.ts, above the default routes.',
    'Types are string (the default), text, int, number, bool, date and email. A field whose type\nends in ? is optional.',
  ],
  examples: [
    'propylon restcontroller comment comments',
    'propylon restcontroller book books title pages:int published:date? --route',
    'propylon restcontroller admin/trackback admin/trackbacks url text:text',
  ],
  importsProject: 'where possible',
  async run(parsed, context) {
    const singular = controllerName(argument(parsed, 0), 'singular name')
    const plural = controllerName(argument(parsed, 1), 'plural name')
    checkDifferent(singular, plural)
    const fields = parseFields(parsed.arguments.slice(2))
    const project = findProject(context.cwd)
    checkNoController(project, plural)
    const withTest = !parsed.flag('no-test')
    if (withTest) checkNoTest(project, plural)
    const isMapped = await checkRoutes(project, plural, routeNames(singular, plural), context)
    const hasTemplates = existsSync(pathIn(project, 'templates'))
    const addsLine = parsed.flag('route') && !isMapped
    const line = resourceLine(singular, plural)
    const read = (path: string) => readFile(project, path)
    const above = read('config/routing.ts')?.includes("'/{controller}") ? ', above the default routes' : ''
    const isStored = hasDatabase(read) && !parsed.flag('memory')
    const migrations = isStored ? migrationFiles(project) : undefined
    const { created, changed } = resourceFiles({ singular, plural, fields }, { read, migrations, withTest })
    const route = addsLine ? [withRoute(project, line)] : []
    carryOut(project, { created, changed: [...changed, ...route] }, context, parsed.flag('dry-run'))
    if (isMapped) print(context, 'config/routing.ts maps the resource already, with a line like this:')
    else if (!addsLine) print(context, `Add this line to config/routing.ts${above}:`)
    print(context, line)
    if (isStored) print(context, 'Create the table: npx propylon migrate')
    if (!read('package.json')?.includes('"valibot"'))
      print(context, 'Install the schemas: npm install valibot @valibot/to-json-schema')
    if (!hasTemplates) print(context, 'The application finds the templates by an option of FrameworkApp:', TEMPLATES)
    return 0
  },
}

function checkDifferent(singular: ControllerName, plural: ControllerName): void {
  if (singular.name !== plural.name) return
  throw new UsageError(
    `${quoted(singular.name)} cannot be both singular and plural, because each is the name of a route`,
    `write for instance 'propylon restcontroller ${singular.name}_item ${plural.path}'`,
  )
}
