import { HTTPException } from '../http/http-exception.ts'
import { isPromise } from '../wsgi/promise.ts'
import { isInstance } from '../wsgi/thrown.ts'
import { setTransparent } from '../wsgi/transparent.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'

/** Sends the response of an exception that was thrown outside of a controller. */
export type SendException = (
  exception: HTTPException,
  environ: Environ,
  start_response: StartResponse,
) => Body | Promise<Body>

/** Returns an application that sends HTTP exceptions which are thrown before the body was returned. */
export function sendingExceptions(app: WSGIApplication, send: SendException): WSGIApplication {
  const answer = (error: unknown, environ: Environ, start_response: StartResponse) => {
    if (!isInstance(error, HTTPException)) throw error
    // The application may have called start_response. PEP 3333 requires excInfo for a second call.
    const restart: StartResponse = (status, headers) => start_response(status, headers, error)
    return send(error, environ, restart)
  }
  const sending: WSGIApplication = (environ, start_response) => {
    let body: Body | Promise<Body>
    try {
      body = app(environ, start_response)
    } catch (error) {
      return answer(error, environ, start_response)
    }
    if (!isPromise(body)) return body
    // An application may return a thenable without catch().
    return Promise.resolve(body).catch((error: unknown) => answer(error, environ, start_response))
  }
  setTransparent(sending, app)
  return sending
}
