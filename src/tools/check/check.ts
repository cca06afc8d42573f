/**
 * Checks the wiring of an application: routes, controllers, actions, arguments.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { MESSAGES } from '../../app/language-options.ts'
import type { Catalog } from '../../http/messages/catalogs/catalog.ts'
import { EtaEngine } from '../../http/templating/eta.ts'
import type { Mapper } from '../../routing/mapper.ts'
import { type ControllerSources, type ReadOptions, readControllers } from './controllers.ts'
import { type Descriptions, describeControllers } from './descriptions.ts'
import { type Finding, sortFindings } from './finding.ts'
import { Lookup } from './lookup.ts'
import { ProjectModules } from './modules.ts'
import { RoutingFiles } from './routing-files.ts'
import { checkActions, checkControllers, checkReach } from './rules/actions.ts'
import { checkArguments } from './rules/arguments.ts'
import { checkBodies } from './rules/bodies.ts'
import { checkHooks, checkReserved, checkStatics } from './rules/classes.ts'
import { checkDeclaredResults } from './rules/declared-results.ts'
import { checkDecorators } from './rules/decorators.ts'
import { checkExposure } from './rules/exposure.ts'
import { checkFields } from './rules/fields.ts'
import { checkMessages } from './rules/messages.ts'
import { checkPromises } from './rules/promises.ts'
import { checkResults } from './rules/results.ts'
import { checkDiagnosis, checkMethods, checkOptions } from './rules/routes.ts'
import { checkSchemas } from './rules/schemas.ts'
import { checkSyntax } from './rules/syntax.ts'
import { checkTemplates } from './rules/templates.ts'
import { ControllerReader } from './source-controller.ts'
import { TemplateFiles } from './template-files.ts'
import { Wiring } from './wiring.ts'

/** The members of an application that the checks read. */
export interface CheckedApplication {
  readonly mapper: Mapper<unknown>
  readonly controllers: ControllerSources
  /** Path of the server for MCP, if there is one. */
  readonly mcpPath?: string | undefined
  /** Path of the OpenAPI document, if there is one. */
  readonly openapiPath?: string | undefined
  /** The template engine. Only the templates of the default one are checked. */
  readonly templates?: unknown
  /** The messages, if it has some. */
  readonly [MESSAGES]?: readonly Catalog[] | undefined
}

/** Returns the findings about the syntax of an application that does not load. */
export function checkUnloadable(entry: string): Finding[] {
  return sortFindings([...checkSyntax([entry], new ProjectModules())])
}

/** The wiring of an application, with what the checks need to read more of it. */
export interface ReadWiring {
  readonly wiring: Wiring
  readonly reader: ControllerReader
  readonly files: RoutingFiles
  /** The paths of the module that creates the application and of the files of controllers. */
  readonly entries: readonly string[]
  /** The descriptions of controllers that declare arguments or results, if controllers may be loaded. */
  readonly descriptions: Descriptions
  /** Undefined if they are not known. */
  readonly templates: TemplateFiles | undefined
  /** Undefined if the application has none. */
  readonly messages: readonly Catalog[] | undefined
}

/** Reads the routes and the controllers of an application. */
export async function readWiring(
  { mapper, controllers, mcpPath, openapiPath, templates, [MESSAGES]: messages }: CheckedApplication,
  options: ReadOptions,
): Promise<ReadWiring> {
  const modules = new ProjectModules()
  const reader = new ControllerReader(new Lookup(modules))
  const entries = await readControllers(controllers, reader, options)
  const paths = [...controllers.sources().values()].flatMap((source) =>
    source instanceof URL ? [fileURLToPath(source)] : [],
  )
  return {
    wiring: new Wiring(mapper, entries, mcpPath, openapiPath),
    reader,
    files: new RoutingFiles(modules),
    descriptions: options.loads ? await describeControllers(controllers, entries) : new Map(),
    entries: options.entry === undefined ? paths : [options.entry, ...paths],
    templates: templateFiles(templates),
    messages,
  }
}

/** Returns the templates of the default engine; undefined if the application has none. */
function templateFiles(templates: unknown): TemplateFiles | undefined {
  if (!(templates instanceof EtaEngine)) return undefined
  const files = new TemplateFiles(templates.source)
  return files.isEmpty ? undefined : files
}

/** Checks the wiring of an application. Returns the findings in the order of their places. */
export async function checkWiring(app: CheckedApplication, options: ReadOptions): Promise<Finding[]> {
  return findingsOf(await readWiring(app, options))
}

/** Returns the findings about a wiring, in the order of their places. */
export function findingsOf({
  wiring,
  reader,
  files,
  entries,
  descriptions,
  templates,
  messages,
}: ReadWiring): Finding[] {
  return sortFindings([
    ...checkControllers(wiring, files),
    ...checkActions(wiring, files),
    ...checkReach(wiring),
    ...checkArguments(wiring, descriptions),
    ...checkHooks(wiring),
    ...checkReserved(wiring),
    ...checkStatics(wiring),
    ...checkBodies(wiring, descriptions),
    ...checkDecorators(wiring),
    ...checkDeclaredResults(wiring, reader, descriptions),
    ...checkExposure(wiring),
    ...checkFields(wiring),
    ...checkResults(wiring, reader.annotations, reader.lookup),
    ...checkSchemas(descriptions, entries[0]),
    ...checkPromises(wiring, reader.lookup),
    ...checkOptions(wiring, files),
    ...checkMethods(wiring, files),
    ...checkDiagnosis(wiring),
    ...(templates === undefined ? [] : checkTemplates(wiring, templates)),
    ...(messages === undefined ? [] : checkMessages(wiring, templates, messages)),
    ...checkSyntax(entries, reader.lookup.modules),
  ])
}
