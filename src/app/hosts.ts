import { describeValue } from '../base/describe.ts'
import { withoutHost } from '../wsgi/malformed.ts'
import { hostName, hostOf, isHost, isLocalHost } from '../wsgi/request-url.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'

/** The `hosts` option of an application: the hosts that are served, and those that receive debug pages. */
export class Hosts {
  readonly #entries: readonly string[] | undefined
  /** The last Host field that the list allowed. */
  #served = ''

  /** @throws TypeError - an entry is not a domain name, an address or `'*'`, or the list is empty. */
  constructor(entries: readonly string[] | undefined) {
    if (entries !== undefined) checkEntries(entries)
    this.#entries = entries?.map((entry) => entry.toLowerCase())
  }

  /**
   * Returns an application that calls `refuse` instead of `app` for a host that is not served, before middleware and
   * controllers use it for URLs and cache keys. For a malformed host it calls `app` without the host, which answers 400.
   */
  guard(
    app: WSGIApplication,
    refuse: (host: string, environ: Environ, start_response: StartResponse) => Body,
  ): WSGIApplication {
    return (environ, start_response) => {
      const { HTTP_HOST: host } = environ
      if (host === undefined || host === '' || this.serves(host)) return app(environ, start_response)
      if (isHost(host)) return refuse(host, environ, start_response)
      withoutHost(environ)
      return app(environ, start_response)
    }
  }

  /** Returns true if the host is listed; without a list, every well-formed host is served. */
  serves(host: string): boolean {
    if (this.#entries === undefined) return isHost(host)
    if (host === this.#served) return true
    if (!isHost(host) || !this.#isListed(hostName(host), true)) return false
    this.#served = host
    return true
  }

  /**
   * Returns true if the host of a request may receive source: a local host, or one that an entry other than `'*'` lists.
   * Another site could resolve any other name to this machine and read the pages by scripts (DNS rebinding).
   */
  trusts(environ: Environ): boolean {
    const host = hostOf(environ)
    return isLocalHost(host) || this.#isListed(hostName(host), false)
  }

  /** Returns the source of the option with a host added. */
  optionWith(host: string): string {
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
  if (typeof entry !== 'string') return 'Write each host as a string.'
  if (entry === '*') return undefined
  const name = entry.startsWith('.') ? entry.slice(1) : entry
  if (entry.startsWith('*.')) return `Write '${entry.slice(1)}' for a domain and its subdomains.`
  if (isHost(`[${entry}]`)) return `Write an IPv6 address in brackets: '[${entry}]'.`
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return 'Write the host alone, without scheme and path.'
  if (isHost(name) && /:\d+$/.test(name)) return 'Omit the port: every port of the host is served.'
  if (name.endsWith('.')) return 'Omit the dot at the end: it is ignored in requests.'
  if (!isHost(name)) {
    return "Write a domain name ('example.com', in punycode if it is not ASCII), a domain with its subdomains ('.example.com'), an address ('10.0.0.1', '[::1]') or '*'."
  }
  return undefined
}
