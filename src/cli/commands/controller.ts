import { argument, type Command } from '../command.ts'
import { checkReachable } from '../mapped.ts'
import { type ControllerName, controllerName } from '../names.ts'
import { findFile, findProject, type Project } from '../project.ts'
import { carryOut, checkNoController, checkNoTest, controllerFile, testFile } from '../scaffold.ts'
import { importPath, substitute, template } from '../templates.ts'
import { print } from '../terminal.ts'

/** `propylon controller NAME` */
export const controller: Command = {
  name: 'controller',
  summary: 'Create a controller and a functional test for it',
  arguments: [
    { name: 'NAME', summary: "The controller's name, with a directory in front if wanted: admin/panel" },
  ],
  options: {
    'no-test': { type: 'boolean', summary: 'Write no test' },
    'dry-run': { type: 'boolean', short: 'n', summary: 'Say what would be written, write nothing' },
  },
  details: [
    'Dashes become underscores: with-dash makes controllers/with_dash.ts with the class\nWithDashController. An existing file is never overwritten.',
  ],
  examples: ['propylon controller hello', 'propylon controller admin/panel --dry-run'],
  importsProject: 'where possible',
  async run(invocation, surroundings) {
    const name = controllerName(argument(invocation, 0))
    const project = findProject(surroundings.cwd)
    checkNoController(project, name)
    const withTest = !invocation.flag('no-test')
    if (withTest) checkNoTest(project, name)
    await checkReachable(project, name, surroundings)
    const words = wordsOf(name, project)
    const created = [{ path: controllerFile(name), text: substitute(template('controller.ts'), words) }]
    if (withTest)
      created.push({ path: testFile(name), text: substitute(template('controller_test.ts'), words) })
    carryOut(project, { created, changed: [] }, surroundings, invocation.flag('dry-run'))
    print(surroundings, `The default routes bring /${name.path} to it.`)
    return 0
  },
}

/** What takes the place of the templates' own words for one controller. */
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
