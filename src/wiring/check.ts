/**
 * Checks the wiring of an application: routes, controllers, actions, arguments.
 *
 * @module
 */
import type { Mapper } from '../routing/mapper.ts'
import { type ControllerSources, readControllers } from './controllers.ts'
import { type Finding, sortFindings } from './finding.ts'
import { Lookup } from './lookup.ts'
import { ProjectModules } from './modules.ts'
import { RoutingFiles } from './routing-files.ts'
import { checkActions, checkControllers, checkReach } from './rules/actions.ts'
import { checkArguments } from './rules/arguments.ts'
import { checkHooks, checkStatics } from './rules/classes.ts'
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

/** The findings, and what was checked. */
export interface CheckResult {
  readonly findings: readonly Finding[]
  readonly wiring: Wiring
}

/**
 * Checks the wiring of an application.
 *
 * @param entry - absolute path of the module that creates the application, for controllers that are given as a record.
 * @param options - `loads`: whether to load controllers whose sources do not say everything. Default `true`.
 */
export async function checkWiring(
  { mapper, controllers }: CheckedApplication,
  entry: string | undefined,
  { loads = true }: { readonly loads?: boolean } = {},
): Promise<CheckResult> {
  const modules = new ProjectModules()
  const reader = new ControllerReader(new Lookup(modules))
  const entries = await readControllers(controllers, reader, { entry, loads })
  const wiring = new Wiring(mapper, entries)
  const files = new RoutingFiles(modules)
  const findings = [
    ...checkControllers(wiring, files),
    ...checkActions(wiring, files),
    ...checkReach(wiring),
    ...checkArguments(wiring),
    ...checkHooks(wiring),
    ...checkStatics(wiring),
    ...checkDecorators(wiring),
    ...checkResults(wiring, reader.annotations),
    ...checkOptions(wiring, files),
    ...checkMethods(wiring, files),
    ...checkDiagnosis(wiring),
  ]
  return { findings: sortFindings(findings), wiring }
}
