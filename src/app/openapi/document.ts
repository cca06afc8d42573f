/** OpenAPI 3.1 documents of applications and of services, made from the descriptions of actions and procedures. */
import type { OpenAPIDocument } from '../../controllers/application.ts'
import type { ProcedureDescription, ServiceDescription } from '../../controllers/describe.ts'
import type { SecurityRequirements } from '../../controllers/statics.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import { pascalCase, SchemaComponents } from '../../http/converters/schema-components.ts'
import type { ProblemForm } from '../../http/problems.ts'
import type { Mapper } from '../../routing/mapper.ts'
import { requestBody } from './bodies.ts'
import type { Classes, LeaveOut } from './classes.ts'
import { type Operation, operationsOf, UNSAFE_OPERATIONS, uniqueIds } from './operations.ts'
import { argumentsSchema, namedArguments, parameterObjects } from './parameters.ts'
import { type ErrorRules, PROBLEM, problemComponents, responsesOf, SERVICE_PROBLEMS } from './responses.ts'
import { describedBy, firstSentence, proseOf, summaryOfAction } from './texts.ts'

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
  const { servers = [{ url: '/' }], security = [], problems, securitySchemes } = options
  const tags = tagsOf(operations, options)
  const front = { openapi: VERSION, info: infoOf(options), servers, security, tags }
  return complete(front, { problems, securitySchemes }, (schemas) => pathsOf(operations, schemas, options))
}

/**
 * Returns the document of a service: a path for each procedure, called by POST with a JSON object of its arguments.
 */
export function serviceDocument(service: ServiceDescription, problems: ProblemForm | undefined) {
  const { title, version, description, security, securitySchemes, procedures } = service
  const info = { title, version, ...(description !== '' && { description }) }
  const front = { openapi: VERSION, info, ...(security !== undefined && { security }) }
  const claim = uniqueIds()
  return complete(front, { problems, securitySchemes, isService: true }, (schemas) =>
    Object.fromEntries(
      procedures.map((procedure) => [
        `/${encodeURIComponent(procedure.publicName)}`,
        { post: procedureObject(procedure, claim(procedure.name), schemas) },
      ]),
    ),
  )
}

const VERSION = '3.1.1'

/** The parts of a document beside its operations. */
interface Frame {
  readonly problems: ProblemForm | undefined
  readonly securitySchemes: Readonly<Record<string, object>> | undefined
  readonly isService?: boolean
}

/** Adds the operations to a document, and the components that they refer to. */
function complete<Front extends object>(
  front: Front,
  { problems, securitySchemes, isService = false }: Frame,
  write: (schemas: SchemaComponents) => Paths,
) {
  const schemas = new SchemaComponents({ base: '#/components/schemas/', reserved: [PROBLEM] })
  const paths = write(schemas)
  const problem = problemComponents(schemas, problems, isService)
  const usesProblem = Object.keys(paths).length > 0
  const components = {
    schemas: { ...schemas.finish(), ...(usesProblem && problem.schemas) },
    ...(usesProblem && { responses: problem.responses }),
    ...(securitySchemes !== undefined && { securitySchemes }),
  }
  return { ...front, paths, components }
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

function pathsOf(
  operations: readonly Operation[],
  schemas: SchemaComponents,
  options: OpenAPIOptions & ErrorRules,
): Paths {
  const paths: Paths = {}
  const firsts = new Map<string, Operation>()
  for (const operation of operations) {
    // Paths that differ in the names of parameters only are the same path for OpenAPI.
    const { template } = firsts.get(operation.template.shape) ?? operation
    if (template === operation.template) firsts.set(template.shape, operation)
    const { path, parameters } = template
    const names = parameters.map(({ name }) => name)
    paths[path] ??= {}
    paths[path][operation.method] = operationObject(operation, names, schemas, options)
  }
  return paths
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

function procedureObject(procedure: ProcedureDescription, operationId: string, schemas: SchemaComponents): object {
  const { name, help, parameters, result, security, isOpen, isDeprecated } = procedure
  const schema = argumentsSchema(namedArguments(procedure, schemas), isOpen)
  const place = { name: pascalCase(`${name}_result`), direction: 'output' } as const
  const content = { 'application/json': { schema: addSchema(schemas, result.schema ?? undefined, place) } }
  const problems = Object.entries(SERVICE_PROBLEMS).map(([component, [status]]) => [
    status,
    { $ref: `#/components/responses/${component}` },
  ])
  return {
    operationId,
    ...describedBy(help),
    ...(isDeprecated && { deprecated: true }),
    ...(security !== undefined && { security }),
    requestBody: {
      required: parameters.some(({ required }) => required),
      content: { 'application/json': { schema } },
    },
    responses: { '200': { description: 'The result.', content }, ...Object.fromEntries(problems) },
  }
}
