import { existsSync } from 'node:fs'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { print, styled, type Terminal } from '../../base/command-line/terminal.ts'
import { checkNewFiles, type NewFile, writeFiles } from './files.ts'
import type { ControllerName } from './names.ts'
import { type Project, pathIn } from './project.ts'
import { importPath } from './templates.ts'

/** Files that a command creates and changes. */
export interface Scaffold {
  readonly created: readonly NewFile[]
  readonly changed: readonly NewFile[]
}

/** Returns the path of a controller in a project. */
export function controllerFile(name: ControllerName): string {
  return `controllers/${name.path}.ts`
}

/** Returns the path of a controller's functional test: `tests/functional/test_admin_panel.ts`. */
export function testFile(name: ControllerName): string {
  return `tests/functional/test_${[...name.directories, name.name].join('_')}.ts`
}

/**
 * Returns the replacements in the templates for a controller.
 *
 * @param base - path of the base class of the controllers, relative to the project; undefined if there is none.
 */
export function wordsOf(name: ControllerName, base: string | undefined): Record<string, string> {
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

/** @throws UsageError - the project has a controller of that name, with any extension. */
export function checkNoController(project: Project, name: ControllerName): void {
  const paths = ['.ts', '.mts', '.js', '.mjs'].map((extension) => `controllers/${name.path}${extension}`)
  const path = paths.find((each) => existsSync(pathIn(project, each)))
  if (path === undefined) return
  const problem = `the controller ${quoted(name.path)} exists already: ${path}`
  throw new UsageError(problem, 'remove it first, or choose another name')
}

/** @throws UsageError - the test file exists. The controllers `admin/panel` and `admin_panel` have the same one. */
export function checkNoTest(project: Project, name: ControllerName): void {
  const path = testFile(name)
  if (!existsSync(pathIn(project, path))) return
  throw new UsageError(`${path} exists already`, "remove it first, or omit the test with '--no-test'")
}

/** Writes a scaffold and lists its files. With `dryRun` it only lists them. */
export function carryOut(project: Project, scaffold: Scaffold, terminal: Terminal, dryRun: boolean): void {
  if (dryRun) checkNewFiles(project.root, scaffold.created)
  else writeFiles(project.root, scaffold.created, scaffold.changed)
  const [create, change] = dryRun ? ['would create', 'would change'] : ['created', 'changed']
  for (const { path } of scaffold.created) print(terminal, [styled('green', create), ` ${path}`])
  for (const { path } of scaffold.changed) print(terminal, [styled('yellow', change), ` ${path}`])
}
