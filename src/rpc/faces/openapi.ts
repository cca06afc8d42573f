/** OpenAPI 3.1 documents of services that answer plain JSON. */

import { serviceDocument } from '../../app/openapi/document.ts'
import { isRead } from '../../base/methods.ts'
import { oncePer } from '../../base/once-per.ts'
import { runCall } from '../../controllers/call.ts'
import { stateOf } from '../../controllers/call-state.ts'
import type { ServiceDescription } from '../../controllers/describe.ts'
import type { Responder } from '../../controllers/represent.ts'
import { HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import { type ProblemForm, problemForm } from '../../http/problems.ts'
import { describeService } from '../controllers/service-description.ts'
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
const documentOf = oncePer((service: ServiceDescription, faces: readonly Face[], form: ProblemForm | undefined) =>
  JSON.stringify(serviceDocument(callable(service, faces), form)),
)

/** Returns the service without the procedures whose URLs belong to other faces. */
function callable(service: ServiceDescription, faces: readonly Face[]): ServiceDescription {
  const taken = ['/index', ...faces.map(({ path }) => path)]
  return {
    ...service,
    procedures: service.procedures.filter(({ publicName }) => !taken.includes(`/${publicName}`)),
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
