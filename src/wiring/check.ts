/**
 * Checks the wiring of an application: routes, controllers, actions, arguments.
 *
 * @module
 */
import type { Mapper } from '../routing/mapper.ts'
import { type ControllerSources, type ReadOptions, readControllers } from './controllers.ts'
import { type Finding, sortFindings } from './finding.ts'
import { Lookup } from './lookup.ts'
import { ProjectModules } from './modules.ts'
import { RoutingFiles } from './routing-files.ts'
import { checkActions, checkControllers, checkReach } from './rules/actions.ts'
import { checkArguments } from './rules/arguments.ts'
import { checkHooks, checkReserved, checkStatics } from './rules/classes.ts'
import { checkDecorators } from './rules/decorators.ts'
import { checkResults } from './rules/results.ts'
import { checkDiagnosis, checkMethods, checkOptions } from './rules/routes.ts'
import { ControllerReader } from './source-controller.ts'
import { Wiring } from './wiring.ts'

/** The members of an application that the checks read. */
export interface CheckedApplication {
  readonly mapper: Mapper<unknown>
  readonly controllers: ControllerSources
}

/** The wiring of an application, with what the checks need to read more of it. */
export interface ReadWiring {
  readonly wiring: Wiring
  readonly reader: ControllerReader
  readonly files: RoutingFiles
}

/** Reads the routes and the controllers of an application. */
export async function readWiring(
  { mapper, controllers }: CheckedApplication,
  options: ReadOptions,
): Promise<ReadWiring> {
  const modules = new ProjectModules()
  const reader = new ControllerReader(new Lookup(modules))
  const entries = await readControllers(controllers, reader, options)
  return { wiring: new Wiring(mapper, entries), reader, files: new RoutingFiles(modules) }
}

/** Checks the wiring of an application. Returns the findings in the order of their places. */
export async function checkWiring(app: CheckedApplication, options: ReadOptions): Promise<Finding[]> {
  const { wiring, reader, files } = await readWiring(app, options)
  return sortFindings([
    ...checkControllers(wiring, files),
    ...checkActions(wiring, files),
    ...checkReach(wiring),
    ...checkArguments(wiring),
    ...checkHooks(wiring),
    ...checkReserved(wiring),
    ...checkStatics(wiring),
    ...checkDecorators(wiring),
    ...checkResults(wiring, reader.annotations, reader.lookup),
    ...checkOptions(wiring, files),
    ...checkMethods(wiring, files),
    ...checkDiagnosis(wiring),
  ])
}
