import { andThen } from '../base/promise.ts'
import { isInstance } from '../base/thrown.ts'
import { HTTPException } from '../http/http-exception.ts'
import { setTransparent } from '../wsgi/application.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'

/** Sends the response of an exception that was thrown outside of a controller. */
export type SendException = (
  exception: HTTPException,
  environ: Environ,
  start_response: StartResponse,
) => Body | Promise<Body>

/** Returns an application that sends HTTP exceptions which are thrown before the body was returned. */
export function sendingExceptions(app: WSGIApplication, send: SendException): WSGIApplication {
  const sending: WSGIApplication = (environ, start_response) =>
    andThen(
      () => app(environ, start_response),
      (body) => body,
      (error) => sendThrown(error, environ, start_response, send),
    )
  setTransparent(sending, app)
  return sending
}

/** Sends an HTTP exception in place of the application that threw it. Throws any other error again. */
export function sendThrown(
  error: unknown,
  environ: Environ,
  start_response: StartResponse,
  send: SendException,
): Body | Promise<Body> {
  if (!isInstance(error, HTTPException)) throw error
  // The application may have called start_response. PEP 3333 requires excInfo for a second call.
  const restart: StartResponse = (status, headers) => start_response(status, headers, error)
  return send(error, environ, restart)
}
