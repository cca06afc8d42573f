/**
 * Sub-domains: what stands in front of the domain in a host's name.
 *
 * @module
 */

/** How a mapper treats sub-domains. */
export interface SubDomainSettings {
  /** Whether every match holds `subDomain`, and generation can lead from one to another. */
  readonly enabled: boolean
  /** Sub-domains that count as none, such as `www`. */
  readonly ignore: ReadonlySet<string>
  /** What the bare domain looks like at the end of a host's name; the last two labels by default. */
  readonly domain: RegExp
}

/** The last two labels of a host's name, or its only one. */
export const TWO_LABELS = /[^./:]+(?:\.[^./:]+)?$/

/** A host in its parts. */
export interface HostParts {
  /** Null where there is none or it counts as none. */
  readonly subDomain: string | null
  readonly domain: string
  /** With its colon; '' where there is none. */
  readonly port: string
}

const ADDRESS = /^(?:\[.*\]|\d+(?:\.\d+){3})$/

/** Takes a `Host` field apart. Names of hosts have no case (RFC 9110 §4.2.3), and an address has no sub-domain. */
export function hostParts(given: string, settings: SubDomainSettings): HostParts {
  const host = given.toLowerCase()
  const port = /:\d*$/.exec(host)?.[0] ?? ''
  const name = (port ? host.slice(0, -port.length) : host).replace(/\.$/, '')
  if (ADDRESS.test(name)) return { subDomain: null, domain: name, port }
  const at = name.search(settings.domain)
  const domain = at < 0 ? name : name.slice(at)
  const front = at <= 0 ? '' : name.slice(0, at).replace(/\.$/, '')
  const ignored = front === '' || settings.ignore.has(front)
  return { subDomain: ignored ? null : front, domain, port }
}

/** Whether a sub-domain fulfils a condition. */
export function subDomainFits(condition: boolean | readonly string[], subDomain: string | null): boolean {
  if (condition === true) return subDomain !== null
  if (condition === false) return subDomain === null
  return subDomain !== null && condition.some((name) => name.toLowerCase() === subDomain)
}
