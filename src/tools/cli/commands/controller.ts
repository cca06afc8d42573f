/**
 * `propylon controller`: creates a controller.
 *
 * @module
 */

import { argument, type Command } from '../../../base/command-line/command.ts'
import { print } from '../../../base/command-line/terminal.ts'
import { controllerName } from '../names.ts'
import { findFile, findProject } from '../project.ts'
import { checkRoutes, routeLine } from '../routing-file.ts'
import { carryOut, checkNoController, checkNoTest, controllerFile, testFile, wordsOf } from '../scaffold.ts'
import { substitute, template } from '../templates.ts'

/** `propylon controller NAME` */
export const controller: Command = {
  name: 'controller',
  summary: 'Create a controller and a functional test for it',
  arguments: [{ name: 'NAME', summary: 'Name of the controller, optionally with a directory: admin/panel' }],
  options: {
    'no-test': { summary: 'Omit the test' },
    'dry-run': { short: 'n', summary: 'List the files without writing them' },
  },
  details: [
    'Dashes become underscores: with-dash creates controllers/with_dash.ts with the class\nWithDashController. An existing file is never overwritten.',
  ],
  examples: ['propylon controller hello', 'propylon controller admin/panel --dry-run'],
  importsProject: 'where possible',
  async run(parsed, context) {
    const name = controllerName(argument(parsed, 0))
    const project = findProject(context.cwd)
    checkNoController(project, name)
    const withTest = !parsed.flag('no-test')
    if (withTest) checkNoTest(project, name)
    await checkRoutes(project, name, [], context)
    const words = wordsOf(name, findFile(project, ['lib/base.ts']))
    const created = [{ path: controllerFile(name), text: substitute(template('controller.ts'), words) }]
    if (withTest) created.push({ path: testFile(name), text: substitute(template('controller_test.ts'), words) })
    carryOut(project, { created, changed: [] }, context, parsed.flag('dry-run'))
    const line = await routeLine(project, name, context)
    if (line === undefined) print(context, `The default routes map /${name.path} to it.`)
    else print(context, 'Add this line to config/routing.ts:', line)
    return 0
  },
}
