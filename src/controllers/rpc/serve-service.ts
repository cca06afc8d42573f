/** The HTTP side of an RPC service, whatever its protocol. */
import { HTTPMethodNotAllowed, HTTPNotFound } from '../../http/exceptions.ts'
import type { Body } from '../../wsgi/types.ts'
import { type Controller, stateOf } from '../lifecycle.ts'
import { isPrivate } from '../metadata.ts'
import { type Responder, send, useResponse } from '../responder.ts'
import { compressResponse } from './compression.ts'

/** One service, as far as HTTP is concerned. */
export interface Service {
  /** Methods for the `Allow` header of a 405. */
  readonly allow: readonly string[]
  /** Reads the call in the body of a POST, runs it and makes its answer. */
  answerCall(): Promise<Responder>
  /** Serves GET and HEAD. Undefined if they are answered with 405. */
  servePage: (() => Body | Promise<Body>) | undefined
}

/** Serves a request to a service: calls are POSTed, a GET shows its page. */
export function serveService(controller: Controller, service: Service): Body | Promise<Body> {
  const { action, environ } = stateOf(controller)
  if (isPrivate(action)) return send(controller, useResponse(controller, new HTTPNotFound()))
  switch (environ.REQUEST_METHOD) {
    case 'POST':
      return answerCall(controller, service)
    case 'GET':
    case 'HEAD':
      if (service.servePage !== undefined) return service.servePage()
  }
  const headers = { Allow: service.allow.join(', ') }
  return send(controller, useResponse(controller, new HTTPMethodNotAllowed(undefined, headers)))
}

async function answerCall(controller: Controller, service: Service): Promise<Body> {
  const responder = await service.answerCall()
  const state = stateOf(controller)
  if (typeof responder !== 'function') await compressResponse(state.response ?? responder, state.environ)
  return send(controller, responder)
}
