/** The option `requestTimeout` of an application. */
import { isPromise, settle } from '../base/promise.ts'
import { memberOf } from '../base/thrown.ts'
import { type Application, EXCEPTION_RESPONSE } from '../controllers/application.ts'
import { HTTPServiceUnavailable } from '../http/exceptions.ts'
import { onClose } from '../wsgi/body.ts'
import { cancellationOf } from '../wsgi/environ.ts'
import type { Body, StartResponse, WSGIApplication } from '../wsgi/types.ts'

type ErrorResponses = Pick<Application, typeof EXCEPTION_RESPONSE | 'reportError'>

/** Longest time of a timer, in milliseconds. */
const MAX_MILLISECONDS = 2 ** 31 - 1

/**
 * Limits the time of requests: aborts `request.signal`, and sends 503 if the application has sent
 * nothing. A response that has begun goes on, unless the application ends it at the signal. Event streams have no
 * limit.
 *
 * Responses that are complete when the application returns cost nothing: there is no timer for them.
 *
 * @throws RangeError - `milliseconds` is not positive, or too large for a timer.
 */
export function withTimeout(app: WSGIApplication, milliseconds: number, application: ErrorResponses): WSGIApplication {
  if (!(milliseconds > 0 && milliseconds <= MAX_MILLISECONDS)) {
    throw new RangeError(
      `FrameworkApp: requestTimeout is ${milliseconds}. Pass milliseconds from 1 to ${MAX_MILLISECONDS}, or omit it for no limit.`,
    )
  }
  return (environ, start_response) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let hasWritten = false
    let isEventStream = false
    /** The reason of the signal, once the time has passed. */
    let timeout: DOMException | undefined
    /** Answers for the application that has not returned. */
    let giveUp: (() => void) | undefined

    const start: StartResponse = (status, headers, excInfo) => {
      if (giveUp === undefined && timeout !== undefined) throw timeout
      isEventStream = headers.some(
        ([name, value]) => /^content-type$/i.test(name) && /^text\/event-stream\b/i.test(value),
      )
      const write = start_response(status, headers, excInfo)
      return (chunk) => {
        hasWritten = true
        write(chunk)
      }
    }
    const expire = (): void => {
      timer = undefined
      if (isEventStream && giveUp === undefined) return
      const reason = `The request took longer than ${milliseconds} ms (requestTimeout).`
      timeout = new DOMException(reason, 'TimeoutError')
      if (!hasWritten) giveUp?.()
      cancellationOf(environ).abort(timeout)
    }
    const begin = (): void => {
      if (timer === undefined && timeout === undefined) timer = setTimeout(expire, milliseconds)
    }
    const end = (): void => {
      clearTimeout(timer)
      timer = undefined
    }
    /** Limits the time of a body that is not complete yet. */
    const watch = (body: Body): Body => {
      if (Array.isArray(body) || isEventStream) {
        end()
        return body
      }
      begin()
      return onClose(body, end)
    }
    const report = (error: unknown): void => {
      // Functions of Node reject with an AbortError that the reason of the signal has caused.
      if (error !== timeout && memberOf(error, 'cause') !== timeout) application.reportError(error, environ)
    }

    const pending = app(environ, start)
    if (!isPromise(pending)) return watch(pending)
    begin()
    return new Promise((resolve, reject) => {
      giveUp = () => {
        giveUp = undefined
        const page = application[EXCEPTION_RESPONSE](new HTTPServiceUnavailable(), environ)
        resolve(page.send(environ, (status, headers) => start_response(status, headers, timeout)))
      }
      pending.then(
        (body) => {
          // It comes too late.
          if (giveUp === undefined) return settle(() => body.close?.(), report)
          giveUp = undefined
          resolve(watch(body))
        },
        (error: unknown) => {
          end()
          if (giveUp === undefined) return report(error)
          giveUp = undefined
          reject(error)
        },
      )
    })
  }
}
