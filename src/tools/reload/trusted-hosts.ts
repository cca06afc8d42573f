import { isFrameworkApp } from '../../app/is-framework-app.ts'
import { hostOf, isLocalHost } from '../../wsgi/request-url.ts'
import type { Environ, WSGICallable } from '../../wsgi/types.ts'

/** Limit of remembered hosts, because clients choose the Host field. */
const MAX_LOGGED_HOSTS = 100

/** Decides which hosts may receive source and events, and logs the others once. */
export class TrustedHosts {
  readonly #log: (line: string) => void
  readonly #logged = new Set<string>()

  constructor(log: (line: string) => void) {
    this.#log = log
  }

  /** Returns true if the host of a request is trusted. The application decides; without one, only local hosts are. */
  has(environ: Environ, app: WSGICallable | undefined): boolean {
    const host = hostOf(environ)
    const isTrusted = isFrameworkApp(app) ? app.trustsHost(environ) : isLocalHost(host)
    if (!isTrusted && !this.#logged.has(host) && this.#logged.size < MAX_LOGGED_HOSTS) {
      this.#logged.add(host)
      this.#log(
        `Pages on the host "${host}" do not reload and show no source, because it is not a local host: another site could resolve its name to this machine. To change this, list it: new FrameworkApp({ hosts: ['localhost', …] })`,
      )
    }
    return isTrusted
  }
}
