import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ChangedFile, checkNewFiles, type NewFile, writeFiles } from './files.ts'
import type { ControllerName } from './names.ts'
import type { Project } from './project.ts'
import { quoted, Refusal } from './refusal.ts'
import { print, styled, type Terminal } from './terminal.ts'

/** What scaffolding is about to do to a project. */
export interface Scaffold {
  readonly created: readonly NewFile[]
  readonly changed: readonly ChangedFile[]
}

/** Where a controller lies in a project. */
export function controllerFile(name: ControllerName): string {
  return `controllers/${name.path}.ts`
}

/** Where a controller's functional test lies in a project: `tests/functional/test_admin_panel.ts`. */
export function testFile(name: ControllerName): string {
  return `tests/functional/test_${[...name.directories, name.name].join('_')}.ts`
}

/** Throws a Refusal if the project has a controller of that name already, in whatever kind of file. */
export function checkNoController(project: Project, name: ControllerName): void {
  for (const extension of ['.ts', '.mts', '.js', '.mjs']) {
    const path = `controllers/${name.path}${extension}`
    if (existsSync(join(project.root, ...path.split('/')))) {
      throw new Refusal(
        `the controller ${quoted(name.path)} exists already: ${path}`,
        'remove it first, or choose another name',
      )
    }
  }
}

/** Throws a Refusal if the test of a new controller would fall on a file that is there: `admin/panel` and `admin_panel` share one. */
export function checkNoTest(project: Project, name: ControllerName): void {
  const path = testFile(name)
  if (!existsSync(join(project.root, ...path.split('/')))) return
  throw new Refusal(`${path} exists already`, "remove it first, or write none with '--no-test'")
}

/** Writes a scaffold, or only says what it would write. */
export function carryOut(project: Project, scaffold: Scaffold, terminal: Terminal, dryRun: boolean): void {
  if (dryRun) checkNewFiles(project.root, scaffold.created)
  else writeFiles(project.root, scaffold.created, scaffold.changed)
  const [create, change] = dryRun ? ['would create', 'would change'] : ['created', 'changed']
  for (const { path } of scaffold.created) print(terminal, [styled('green', create), ` ${path}`])
  for (const { path } of scaffold.changed) print(terminal, [styled('yellow', change), ` ${path}`])
}
