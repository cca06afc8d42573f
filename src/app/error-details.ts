import type { Logger } from '../controllers/application.ts'
import { worded } from '../http/error-texts.ts'
import { HTTPBadRequest } from '../http/exceptions.ts'
import { hostOf } from '../wsgi/request-url.ts'
import type { Environ } from '../wsgi/types.ts'
import { requestLine } from './error-reports.ts'
import type { Hosts } from './hosts.ts'

/** Key in the environ that makes the responses of debug mode as in production. TestApp sets it. */
const HIDES_ERRORS_KEY = 'propylon.hides_errors'

/** Decides which requests receive details of errors and times. Logs how to change it. */
export class ErrorDetails {
  readonly #debug: boolean
  readonly #hosts: Hosts
  readonly #logger: Logger

  constructor(debug: boolean, hosts: Hosts, logger: Logger) {
    this.#debug = debug
    this.#hosts = hosts
    this.#logger = logger
  }

  /** Returns true in debug mode for trusted hosts, unless a test hides the details. */
  areShown(environ: Environ): boolean {
    return this.#areWanted(environ) && this.#hosts.trusts(environ)
  }

  /** As {@link areShown}. If only the host prevents it, logs how to trust it. */
  shows(environ: Environ): boolean {
    const areShown = this.areShown(environ)
    if (!areShown && this.#areWanted(environ)) {
      const host = hostOf(environ)
      this.#logger.warn(
        `${requestLine(environ)} receives no error details, because "${host}" is not a local host: another site could resolve its name to this machine. ` +
          `To send them to it, list it: ${this.#hosts.optionWith(host)}`,
      )
    }
    return areShown
  }

  #areWanted(environ: Environ): boolean {
    return this.#debug && environ[HIDES_ERRORS_KEY] !== true
  }

  /** Returns the exception for a host that is not served, and logs how to serve it. */
  hostRefusal(host: string, environ: Environ): HTTPBadRequest {
    const option = this.#hosts.optionWith(host)
    this.#logger.warn(
      `${requestLine(environ)} was refused: hosts does not list "${host}". To serve it: ${option}`,
    )
    if (!this.#debug) return worded(HTTPBadRequest, 'propylon.refused.host')
    return new HTTPBadRequest(
      `This application does not serve the host "${host}". To serve it, add it to hosts: ${option}`,
    )
  }
}
