/** OpenAPI 3.1 documents of services that answer plain JSON. */

import { uniqueIds } from '../../app/openapi/operations.ts'
import { argumentsSchema } from '../../app/openapi/parameters.ts'
import { PROBLEM, PROBLEM_SCHEMA, problemComponents } from '../../app/openapi/responses.ts'
import { describedBy } from '../../app/openapi/texts.ts'
import { isRead } from '../../base/methods.ts'
import { oncePer } from '../../base/once-per.ts'
import { runCall } from '../../controllers/call.ts'
import { stateOf } from '../../controllers/call-state.ts'
import type { Responder } from '../../controllers/represent.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { pascalCase, SchemaComponents } from '../../http/converters/schema-components.ts'
import { HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import { type ProblemForm, problemForm } from '../../http/problems.ts'
import {
  describeService,
  namedArguments,
  type ProcedureDescription,
  type ServiceDescription,
} from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { type Face, respondToFailure } from './face.ts'

export const OPENAPI: Face = { title: 'OpenAPI document', path: '/openapi.json', answer }

/**
 * Answers a GET or HEAD with the document. Hooks run before, so that it is as private as the calls. It has an entity
 * tag, so that clients need not load it again.
 *
 * @throws HTTPMethodNotAllowed - any other method.
 */
function answer(request: ServiceRequest, faces: readonly Face[]): Responder | Promise<Responder> {
  const { controller } = request
  const { method, url } = controller.request
  if (!isRead(method)) {
    throw new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD, OPTIONS' })
  }
  return runCall<Responder>(stateOf(controller), {
    run() {
      const document = documentOf(describeService(request), faces, problemForm(controller.request.environ))
      return `${document.slice(0, -1)},"servers":${JSON.stringify([{ url: serverUrl(url) }])}}`
    },
    answer(_state, text) {
      const response = request.write(String(text), 'application/json')
      response.cacheControl ??= 'no-cache'
      // Weak, because the body may be compressed.
      return response.addEntityTag({ weak: true }).makeConditional(controller.request)
    },
    answerError: respondToFailure,
  })
}

/** The part of a document that does not depend on the request. */
const documentOf = oncePer(
  (service: ServiceDescription, faces: readonly Face[], form: ProblemForm | undefined) =>
    JSON.stringify(openapiDocument(callable(service, faces), form)),
)

/** Returns the service without the procedures whose URLs belong to other faces. */
function callable(service: ServiceDescription, faces: readonly Face[]): ServiceDescription {
  const taken = ['/index', ...faces.map(({ path }) => path)]
  return {
    ...service,
    procedures: service.procedures.filter(({ publicName }) => !taken.includes(`/${publicName}`)),
  }
}

/** Schema of problem documents with the members that calls add. */
const SERVICE_PROBLEM: JSONSchema = {
  ...PROBLEM_SCHEMA,
  properties: {
    ...PROBLEM_SCHEMA.properties,
    code: { type: 'integer', description: 'Code of the failure, if the procedure states one.' },
    data: { description: 'Data of the failure, if the procedure states any.' },
  },
}

/** Responses of every operation besides its result, by component and status. */
const PROBLEMS = {
  BadRequest: { status: '400', description: 'The arguments do not fit the procedure.' },
  Failure: { status: '422', description: 'The procedure failed.' },
  InternalError: { status: '500', description: 'Unexpected error of the server.' },
  Problem: { status: 'default', description: 'Any other problem.' },
} as const

/**
 * Returns the OpenAPI 3.1 document of a service: a path for each procedure, called by POST with a JSON object of its
 * arguments.
 */
function openapiDocument(service: ServiceDescription, form: ProblemForm | undefined): object {
  const { title, version, description, security, procedures } = service
  const components = new SchemaComponents({ base: '#/components/schemas/', reserved: [PROBLEM] })
  const problem = problemComponents(components, form, SERVICE_PROBLEM)
  const claim = uniqueIds()
  const paths = Object.fromEntries(
    procedures.map((procedure) => [
      pathOf(procedure),
      pathItem(procedure, claim(procedure.name), components),
    ]),
  )
  return {
    openapi: '3.1.1',
    info: { title, version, ...(description === '' ? {} : { description }) },
    ...(security === undefined ? {} : { security: security.security }),
    paths,
    components: {
      ...(security === undefined ? {} : { securitySchemes: security.schemes }),
      schemas: { ...problem.schemas, ...components.finish() },
      responses: Object.fromEntries(
        Object.entries(PROBLEMS).map(([name, { description }]) => [
          name,
          { description, content: problem.content },
        ]),
      ),
    },
  }
}

function pathOf({ publicName }: ProcedureDescription): string {
  return `/${encodeURIComponent(publicName)}`
}

function pathItem(
  procedure: ProcedureDescription,
  operationId: string,
  components: SchemaComponents,
): object {
  const { help, parameters, isOpen, isDeprecated } = procedure
  const schema = argumentsSchema(namedArguments(procedure, components), isOpen)
  return {
    post: {
      operationId,
      ...describedBy(help),
      ...(isDeprecated && { deprecated: true }),
      requestBody: {
        required: parameters.some(({ required }) => required),
        content: { 'application/json': { schema } },
      },
      responses: {
        '200': {
          description: 'The result.',
          content: { 'application/json': { schema: resultSchema(procedure, components) } },
        },
        ...Object.fromEntries(
          Object.entries(PROBLEMS).map(([name, { status }]) => [
            status,
            { $ref: `#/components/responses/${name}` },
          ]),
        ),
      },
    },
  }
}

/**
 * Returns the URL of a service relative to its document at `…/openapi.json`. A relative URL is right behind every
 * proxy, whatever the host, scheme and prefix that the client sees.
 *
 * @param url - URL of the document as this server sees it.
 */
function serverUrl(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-2) ?? ''
  return segment === '' ? './' : `../${segment}`
}

function resultSchema({ name, result }: ProcedureDescription, components: SchemaComponents): JSONSchema {
  return addSchema(components, result.schema ?? undefined, {
    name: pascalCase(`${name}_result`),
    direction: 'output',
  })
}
