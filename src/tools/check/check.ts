/**
 * Checks the wiring of an application: routes, controllers, actions, arguments.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { MESSAGES } from '../../app/language-options.ts'
import type { DeclarationError } from '../../controllers/vocabulary.ts'
import type { Catalog } from '../../http/languages/catalog.ts'
import { EtaEngine } from '../../http/templating/eta.ts'
import type { Mapper } from '../../routing/mapper.ts'
import { type ControllerSources, type ReadOptions, readControllers, sourceOf } from './controllers.ts'
import { describeControllers } from './descriptions.ts'
import { type Finding, sortFindings } from './finding.ts'
import { ProjectModules } from './modules.ts'
import { RoutingFiles } from './routing-files.ts'
import { checkActions, checkControllers, checkOpenActions, checkReach } from './rules/actions.ts'
import { checkArguments } from './rules/arguments.ts'
import { checkBodies } from './rules/bodies.ts'
import { checkHooks, checkReserved, checkStatics, checkVocabulary } from './rules/classes.ts'
import { checkDeclaredResults } from './rules/declared-results.ts'
import { checkDecorators } from './rules/decorators.ts'
import { checkExposure } from './rules/exposure.ts'
import { checkFields } from './rules/fields.ts'
import { checkMessages } from './rules/messages.ts'
import { checkPromises } from './rules/promises.ts'
import { checkResults } from './rules/results.ts'
import { checkDiagnosis, checkMethods, checkOptions } from './rules/routes.ts'
import type { ControllerRule, Project, ProjectRule } from './rules/rule.ts'
import { checkSchemas } from './rules/schemas.ts'
import { checkSyntax } from './rules/syntax.ts'
import { checkPages, checkRendering, checkTemplates } from './rules/templates.ts'
import { placeOfStatic } from './source-controller.ts'
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

const PROJECT_RULES: readonly ProjectRule[] = [
  checkControllers,
  checkOpenActions,
  checkReach,
  checkArguments,
  checkSchemas,
  checkOptions,
  checkMethods,
  checkDiagnosis,
  checkTemplates,
  checkMessages,
  checkSyntax,
]

/** Rules for all controllers. */
const CONTROLLER_RULES: readonly ControllerRule[] = [
  checkHooks,
  checkReserved,
  checkStatics,
  checkVocabulary,
  checkDecorators,
  checkFields,
  checkPromises,
  checkRendering,
]

/** Rules for controllers whose methods are actions, not methods of a service. */
const ACTION_RULES: readonly ControllerRule[] = [
  checkActions,
  checkBodies,
  checkDeclaredResults,
  checkExposure,
  checkResults,
  checkPages,
]

/** Returns the findings about the syntax of an application that does not load. */
export function checkUnloadable(entry: string): Finding[] {
  return sortFindings([...checkSyntax({ entries: [entry], modules: new ProjectModules() })])
}

/** Returns the findings about what a class declares and nothing reads, of an application that does not load for this reason. */
export function checkUnread(entry: string, { faults }: DeclarationError): Finding[] {
  const modules = new ProjectModules()
  return faults.map(({ owner, property, message, fix }) => {
    const source = sourceOf(modules, entry, owner)
    const place = source && placeOfStatic(source, property)
    return { code: 'static-unread', place, message, fix }
  })
}

/** Reads the routes and the controllers of an application. */
export async function readProject(
  { mapper, controllers, mcpPath, openapiPath, templates, [MESSAGES]: messages }: CheckedApplication,
  options: ReadOptions,
): Promise<Project> {
  const modules = new ProjectModules()
  // Debug mode logs what the check reports.
  if (options.loads) controllers.onLoad = undefined
  const read = await readControllers(controllers, modules, options)
  const paths = [...controllers.sources().values()].flatMap((source) =>
    source instanceof URL ? [fileURLToPath(source)] : [],
  )
  const isTemplate = (name: string) => templates instanceof EtaEngine && templates.has(name)
  const described = options.loads ? await describeControllers(controllers, read, isTemplate) : undefined
  return {
    wiring: new Wiring(mapper, read, mcpPath, openapiPath),
    modules,
    files: new RoutingFiles(modules),
    descriptions: described?.descriptions ?? new Map(),
    faults: described?.faults ?? new Map(),
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

/** Returns the findings about an application, in the order of their places. */
export function findingsOf(project: Project): Finding[] {
  const ofControllers = project.wiring.models.flatMap((model) => {
    const rules = model.isService ? CONTROLLER_RULES : [...CONTROLLER_RULES, ...ACTION_RULES]
    const findings = rules.flatMap((rule) => [...rule(model, project)])
    return findings.map((finding) => ({ ...finding, controller: model.name }))
  })
  return sortFindings([...PROJECT_RULES.flatMap((rule) => [...rule(project)]), ...ofControllers])
}
