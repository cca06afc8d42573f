/** OpenAPI 3.1 documents of applications, made from their routes and the descriptions of their actions. */
import type { OpenAPIDocument } from '../../controllers/application.ts'
import type { SecurityRequirements } from '../../controllers/statics.ts'
import { SchemaComponents } from '../../http/converters/schema-components.ts'
import type { Mapper } from '../../routing/mapper.ts'
import { requestBody } from './bodies.ts'
import type { Classes, LeaveOut } from './classes.ts'
import { type Operation, operationsOf, UNSAFE_OPERATIONS } from './operations.ts'
import { parameterObjects } from './parameters.ts'
import { type ErrorRules, PROBLEM, problemComponents, responsesOf } from './responses.ts'
import { firstSentence, proseOf, summaryOfAction } from './texts.ts'

/** A member of an OpenAPI document, as the specification defines it. */
export interface OpenAPIObject {
  readonly [member: string]: unknown
}

/** Options of the OpenAPI document. All but `path`, `page`, `under` and `transform` are members of the document. */
export interface OpenAPIOptions {
  /** Title of the API. */
  readonly title: string
  /** Version of the API, such as `'1.0.0'`. */
  readonly version: string
  /** Path of the document. Default `/openapi.json`. */
  readonly path?: string
  /**
   * Whether the document has a page for people, at its path without `.json`. Requires the package `swagger-ui-dist`.
   * Default: in debug mode.
   */
  readonly page?: boolean
  /** Description of the API, in Markdown. Default: a sentence with the title. */
  readonly description?: string
  /** `{ name, identifier }` with an SPDX expression, or `{ name, url }`. */
  readonly license?: OpenAPIObject
  /** `{ name, url, email }`. */
  readonly contact?: OpenAPIObject
  /** URL of the terms of service. */
  readonly termsOfService?: string
  /** Servers, written as they are: `[{ url: 'https://api.example' }]`. Default: the mount point of the application. */
  readonly servers?: readonly OpenAPIObject[]
  /**
   * Security schemes that every operation requires, unless `static security` of the class says otherwise. Default:
   * none.
   */
  readonly security?: SecurityRequirements
  /** Security schemes by name: `{ bearer: { type: 'http', scheme: 'bearer' } }`. */
  readonly securitySchemes?: Readonly<Record<string, OpenAPIObject>>
  /** Folder of the controllers to describe: `'api'`. Tags and ids lack it. Default: all controllers. */
  readonly under?: string
  /** Returns the document that is served, written and made a client of. Receives a copy of the usual one. */
  readonly transform?: (document: OpenAPIDocument) => OpenAPIDocument
  /**
   * Tags with descriptions. The tag of an operation is the name of its controller. Default: a tag for each
   * controller.
   */
  readonly tags?: readonly (OpenAPIObject & { readonly name: string })[]
}

/**
 * Returns the document of an application.
 *
 * @param leaveOut - receives the errors of classes that cannot be described. The document lacks them.
 */
export function openapiDocument(
  mapper: Mapper<unknown>,
  classes: Classes,
  options: OpenAPIOptions & ErrorRules,
  leaveOut: LeaveOut,
): OpenAPIDocument {
  const operations = operationsOf(mapper, classes, leaveOut, options.under)
  const { paths, components } = describe(operations, options)
  const { servers = [{ url: '/' }], security = [] } = options
  return {
    openapi: '3.1.1',
    info: infoOf(options),
    servers,
    security,
    tags: tagsOf(operations, options),
    paths,
    components,
  }
}

function infoOf(options: OpenAPIOptions): OpenAPIDocument['info'] {
  const { title, version, description, license, contact, termsOfService } = options
  return {
    title,
    version,
    description: description ?? `The API of ${title}.`,
    ...(termsOfService !== undefined && { termsOfService }),
    // Linters recommend the member. An empty one is valid.
    contact: contact ?? {},
    ...(license !== undefined && { license }),
  }
}

/** Returns the tags: the tags of the options, then one for each other controller. */
function tagsOf(operations: readonly Operation[], { tags = [] }: OpenAPIOptions): object[] {
  const named = new Set(tags.map(({ name }) => name))
  const others = new Map(operations.map(({ controller, controllerClass }) => [controller, controllerClass]))
  return [
    ...tags,
    ...[...others]
      .filter(([name]) => !named.has(name))
      .map(([name, controllerClass]) => ({ name, description: tagDescription(name, controllerClass) })),
  ]
}

function tagDescription(name: string, controllerClass: object): string {
  const description: unknown = Reflect.get(controllerClass, 'description')
  return typeof description === 'string' && description !== '' ? description : `Actions of ${name}.`
}

type Paths = Record<string, Record<string, object>>

function describe(
  operations: readonly Operation[],
  options: OpenAPIOptions & ErrorRules,
): { paths: Paths; components: object } {
  const schemas = new SchemaComponents({ base: '#/components/schemas/', reserved: [PROBLEM] })
  const paths: Paths = {}
  const firsts = new Map<string, Operation>()
  for (const operation of operations) {
    // Paths that differ in the names of parameters only are the same path for OpenAPI.
    const { template } = firsts.get(operation.template.shape) ?? operation
    if (template === operation.template) firsts.set(template.shape, operation)
    const names = template.parameters.map(({ name }) => name)
    const item = paths[template.path] ?? {}
    paths[template.path] = item
    item[operation.method] = operationObject(operation, names, schemas, options)
  }
  const { securitySchemes } = options
  const problem = problemComponents(schemas, options.problems)
  const usesProblem = operations.length > 0
  const components = {
    schemas: { ...schemas.finish(), ...(usesProblem && problem.schemas) },
    ...(usesProblem && {
      responses: { [PROBLEM]: { description: problem.description, content: problem.content } },
    }),
    ...(securitySchemes !== undefined && { securitySchemes }),
  }
  return { paths, components }
}

function operationObject(
  operation: Operation,
  names: readonly string[],
  schemas: SchemaComponents,
  options: OpenAPIOptions & ErrorRules,
): object {
  const { id, method, controller, action, route } = operation
  const prose = proseOf(action.help)
  const summary = firstSentence(prose) || summaryOfAction(controller, action.name, route.resource)
  const parameters = parameterObjects(operation, names, schemas)
  const body = action.body !== undefined && UNSAFE_OPERATIONS.has(method) ? action.body : undefined
  const security = action.security ?? options.security ?? []
  return {
    operationId: id,
    tags: [controller],
    summary,
    description: prose || `${summary}.`,
    ...(action.isDeprecated && { deprecated: true }),
    ...(action.security !== undefined && { security: action.security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: requestBody(body, schemas),
      'x-codegen-request-body-name': body.name,
    }),
    responses: responsesOf(operation, schemas, { ...options, security }),
  }
}
