import { describeValue } from '../base/describe.ts'
import { type Application, EXCEPTION_RESPONSE } from '../controllers/application.ts'
import { worded } from '../http/error-texts.ts'
import { HTTPBadRequest, type HTTPException } from '../http/exceptions.ts'
import { withoutHost } from '../wsgi/refusal.ts'
import { hostName, hostOf, isHost, isLocalHost } from '../wsgi/request-url.ts'
import type { Environ, WSGIApplication } from '../wsgi/types.ts'
import { requestLine } from './logger.ts'

/** Key in the environ that makes the responses of debug mode as in production. TestApp sets it. */
const HIDES_ERRORS_KEY = 'propylon.hides_errors'

type HostedApplication = Pick<Application, 'debug' | 'logger' | typeof EXCEPTION_RESPONSE>

/**
 * The `hosts` option of an application: the hosts that are served, and those that receive details of errors.
 */
export class Hosts {
  readonly #application: HostedApplication
  readonly #entries: readonly string[] | undefined

  /** @throws TypeError - an entry is not a domain name, an address or `'*'`, or the list is empty. */
  constructor(entries: readonly string[] | undefined, application: HostedApplication) {
    if (entries !== undefined) checkEntries(entries)
    this.#entries = entries?.map((entry) => entry.toLowerCase())
    this.#application = application
  }

  /**
   * Returns an application that responds with 400 instead of `app` for a host that is not served, before middleware and
   * controllers use it for URLs and cache keys. For a malformed host it calls `app` without the host, which answers
   * 400.
   */
  guard(app: WSGIApplication): WSGIApplication {
    return (environ, start_response) => {
      const { HTTP_HOST: host } = environ
      if (host === undefined || host === '') return app(environ, start_response)
      if (!isHost(host)) withoutHost(environ)
      else if (this.#entries !== undefined && !this.#isListed(hostName(host), true)) {
        const refusal = this.#refusal(host, environ)
        return this.#application[EXCEPTION_RESPONSE](refusal, environ).send(environ, start_response)
      }
      return app(environ, start_response)
    }
  }

  /**
   * Returns true if the host of a request may receive source: a local host, or one that an entry other than `'*'`
   * lists. Another site could resolve any other name to this machine and read the pages by scripts (DNS rebinding).
   */
  trusts(environ: Environ): boolean {
    const host = hostOf(environ)
    return isLocalHost(host) || this.#isListed(hostName(host), false)
  }

  /**
   * Returns true in debug mode for trusted hosts, unless a test hides the details. If only the host prevents it, logs
   * how to trust it.
   */
  showsErrors(environ: Environ): boolean {
    if (!this.#application.debug || environ[HIDES_ERRORS_KEY] === true) return false
    if (this.trusts(environ)) return true
    const host = hostOf(environ)
    this.#application.logger.warn(
      `${requestLine(environ)} receives no error details, because "${host}" is not a local host: another site could resolve its name to this machine. ` +
        `To send them to it, list it: ${this.#optionWith(host)}`,
    )
    return false
  }

  /** Returns the exception for a host that is not served, and logs how to serve it. */
  #refusal(host: string, environ: Environ): HTTPException {
    const option = this.#optionWith(host)
    const { debug, logger } = this.#application
    logger.warn(`${requestLine(environ)} was refused: hosts does not list "${host}". To serve it: ${option}`)
    if (!debug) return worded(HTTPBadRequest, 'propylon.refused.host')
    return new HTTPBadRequest(
      `This application does not serve the host "${host}". To serve it, add it to hosts: ${option}`,
    )
  }

  /** Returns the source of the option with a host added. */
  #optionWith(host: string): string {
    const entries = this.#entries ?? ['localhost', '127.0.0.1']
    return `new FrameworkApp({ hosts: [${[...entries, hostName(host)].map((entry) => `'${entry}'`).join(', ')}] })`
  }

  #isListed(name: string, allowsAny: boolean): boolean {
    return (this.#entries ?? []).some((entry) => {
      if (entry === '*') return allowsAny
      return entry.startsWith('.') ? name === entry.slice(1) || name.endsWith(entry) : name === entry
    })
  }
}

function checkEntries(entries: readonly string[]): void {
  if (!Array.isArray(entries)) {
    throw new TypeError(
      `FrameworkApp: hosts is ${describeValue(entries)}. Pass an array: hosts: ['example.com', '.example.org'].`,
    )
  }
  if (entries.length === 0) {
    throw new TypeError(
      "FrameworkApp: hosts is empty, so no request could be served. List the hosts of the application, for instance hosts: ['example.com'], or omit the option.",
    )
  }
  for (const entry of entries) {
    const fix = faultOf(entry)
    if (fix !== undefined) throw new TypeError(`FrameworkApp: hosts contains ${describeValue(entry)}. ${fix}`)
  }
}

/** Returns how to correct an entry, or undefined if it is valid. */
function faultOf(entry: unknown): string | undefined {
  if (entry === '*') return undefined
  const name = typeof entry === 'string' ? entry.replace(/^\./, '') : ''
  if (name.startsWith('*.')) return `Write '${name.slice(1)}' for a domain and its subdomains.`
  if (isHost(name) && !/:\d*$|\.$/.test(name)) return undefined
  return "Write a domain name ('example.com', in punycode if it is not ASCII), a domain with its subdomains ('.example.com'), an address ('10.0.0.1', '[::1]') or '*', without scheme, port, path and a dot at the end."
}
