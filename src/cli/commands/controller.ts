/**
 * `propylon controller`: creates a controller.
 *
 * @module
 */

import { argument, type Command } from '../command.ts'
import { type ControllerName, controllerName } from '../names.ts'
import { findFile, findProject, type Project } from '../project.ts'
import { checkReachable } from '../routing-file.ts'
import { carryOut, checkNoController, checkNoTest, controllerFile, testFile } from '../scaffold.ts'
import { importPath, substitute, template } from '../templates.ts'
import { print } from '../terminal.ts'

/** `propylon controller NAME` */
export const controller: Command = {
  name: 'controller',
  summary: 'Create a controller and a functional test for it',
  arguments: [{ name: 'NAME', summary: 'Name of the controller, optionally with a directory: admin/panel' }],
  options: {
    'no-test': { type: 'boolean', summary: 'Omit the test' },
    'dry-run': { type: 'boolean', short: 'n', summary: 'List the files without writing them' },
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
    await checkReachable(project, name, context)
    const words = wordsOf(name, project)
    const created = [{ path: controllerFile(name), text: substitute(template('controller.ts'), words) }]
    if (withTest)
      created.push({ path: testFile(name), text: substitute(template('controller_test.ts'), words) })
    carryOut(project, { created, changed: [] }, context, parsed.flag('dry-run'))
    print(context, `The default routes map /${name.path} to it.`)
    return 0
  },
}

/** Returns the replacements in the templates for a controller. */
export function wordsOf(name: ControllerName, project: Project): Record<string, string> {
  const base = findFile(project, ['lib/base.ts'])
  const fromController =
    base === undefined
      ? { "'./project/lib/base.ts'": "'propylon'", BaseController: 'WSGIController' }
      : { './project/lib/base.ts': importPath(controllerFile(name), base) }
  return {
    ...fromController,
    './project/app.ts': importPath(testFile(name), 'app.ts'),
    ThingsController: name.className,
    'area/things': name.path,
  }
}
