/** Sends documents that describe a service. */

import { isRead } from '../../base/methods.ts'
import type { Controller } from '../../controllers/call-state.ts'
import { runCall } from '../../controllers/lifecycle.ts'
import { type Responder, respondToError } from '../../controllers/responder.ts'
import { HTTPMethodNotAllowed, makeException } from '../../http/exceptions.ts'
import { JSONText } from '../controllers/json-values.ts'
import { failureThrown, statusFor } from '../controllers/rpc-failure.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'

/** Returns a document with `servers`, which depend on the request, after its other members. */
export function withServers(document: string, servers: readonly object[]): JSONText {
  return new JSONText(`${document.slice(0, -1)},"servers":${JSON.stringify(servers)}}`)
}

/**
 * Answers a GET or HEAD with a JSON document. Hooks run before, so that a document is as private as the calls. It has an
 * entity tag, so that clients need not load it again.
 *
 * @throws HTTPMethodNotAllowed - any other method.
 */
export function answerDocument(
  request: ServiceRequest,
  make: () => JSONText,
): Responder | Promise<Responder> {
  const { controller } = request
  const { method } = controller.request
  if (!isRead(method)) {
    throw new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD, OPTIONS' })
  }
  return runCall<Responder>(controller, {
    run: () => make().text,
    answer(_controller, text) {
      const response = request.write(String(text), 'application/json')
      response.cacheControl ??= 'no-cache'
      // Weak, because the body may be compressed.
      return response.addEntityTag({ weak: true }).makeConditional(controller.request)
    },
    answerError: respondToFailure,
  })
}

/** Answers a GET in which a hook refused the request by an HTTP exception, or by a failure with a code. Throws any other error. */
export function respondToFailure(controller: Controller, error: unknown): Responder {
  const failure = failureThrown(error)
  const isCoded = failure?.kind === 'application'
  return respondToError(controller, isCoded ? makeException(statusFor(failure.code), failure.message) : error)
}

/**
 * Returns the URL of a service relative to its document at `…/openapi.json`. A relative URL is right behind every proxy,
 * whatever the host, scheme and prefix that the client sees.
 *
 * @param url - URL of the document as this server sees it.
 */
export function serverUrl(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-2) ?? ''
  return segment === '' ? './' : `../${segment}`
}
