/**
 * The modules that `propylon check` writes for the compiler.
 *
 * @module
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FrameworkApp } from '../../app/framework-app.ts'
import type { Context } from '../../base/command-line/command.ts'
import { complain } from '../../base/command-line/terminal.ts'
import { errorSummary } from '../../base/thrown.ts'

import { controllerTypes } from '../check/controller-types.ts'
import { messageTypes } from '../check/message-files.ts'
import type { Project as CheckedProject } from '../check/rules/rule.ts'
import { type Project, pathIn } from './project.ts'

/** The module from which the compiler checks the controllers of a directory. */
const CONTROLLERS = join('.propylon', 'controllers.ts')

/** The module from which the compiler checks the keys and values of messages. */
const MESSAGES = join('.propylon', 'messages.ts')

/** Writes the modules if `tsconfig.json` of the project includes them. */
export function writeTypeModules(
  context: Context,
  project: Project,
  { controllers }: FrameworkApp,
  { wiring, modules, messages }: CheckedProject,
): void {
  const config = readText(pathIn(project, 'tsconfig.json'))
  if (config?.includes('.propylon') !== true) return
  const types = controllerTypes(controllers, wiring, modules, pathIn(project, CONTROLLERS))
  write(context, project, CONTROLLERS, types)
  write(context, project, MESSAGES, messages === undefined ? undefined : messageTypes(messages))
}

/** Writes a module that has changed. */
function write(context: Context, project: Project, name: string, text: string | undefined): void {
  const path = pathIn(project, name)
  const known = readText(path)
  // Without its text, a file of an earlier check would name what is gone.
  const wanted = text ?? (known === undefined ? undefined : 'export {}\n')
  if (wanted === undefined || wanted === known) return
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, wanted)
  } catch (error) {
    complain(
      context,
      `${name} cannot be written, so tsc does not check what it declares: ${errorSummary(error)}`,
    )
  }
}

/** Returns the text of a file, or undefined if there is none. */
function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
