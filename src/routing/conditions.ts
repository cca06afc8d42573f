/**
 * Sets of request methods as bit masks, so that comparing and uniting them costs nothing.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'

/** The mask of a route that accepts any method: a bit that no method has. */
export const ANY_METHOD = 1 << 31

/** The mask that every route has a bit of. */
export const EVERY_ROUTE = -1

/** The bits of the methods that imply others. */
export const GET_BIT = 1
export const HEAD_BIT = 2

const TOKEN = /^[A-Z0-9!#$%&'*+.^_`|~-]+$/
const MOST_METHODS = 30

/** The methods that the routes of one mapper name. */
export class MethodSet {
  readonly #bits = new Map<string, number>()
  readonly #allow = new Map<number, readonly string[]>()
  readonly #explicit = new Map<number, readonly string[]>()

  constructor() {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) this.#add(method)
  }

  #add(method: string): number {
    const bit = 1 << this.#bits.size
    this.#bits.set(method, bit)
    return bit
  }

  /** The mask with a method's bit; 0 when no route names the method. */
  bit(method: string): number {
    return this.#bits.get(method) ?? 0
  }

  /**
   * The mask of some methods.
   *
   * @throws RouteDefinitionError E_ROUTE_METHOD for what is no method's name.
   */
  mask(methods: readonly string[] | null, route: string): number {
    if (methods === null) return ANY_METHOD
    let mask = 0
    for (const method of methods) {
      if (!TOKEN.test(method) || (!this.#bits.has(method) && this.#bits.size >= MOST_METHODS)) {
        throw new RouteDefinitionError(
          'E_ROUTE_METHOD',
          `Route "${route}" names the method "${method}", which is not the name of a method or one too many.`,
          `Give conditions.method a name such as 'GET' or a list of names; a mapper knows up to ${MOST_METHODS} methods.`,
          { route, parameter: 'method', value: method },
        )
      }
      mask |= this.#bits.get(method) ?? this.#add(method)
    }
    return mask
  }

  /** What an `Allow` field says for these methods: sorted, with HEAD wherever GET is, and OPTIONS. The same list for the same mask. */
  allow(mask: number): readonly string[] {
    let list = this.#allow.get(mask)
    if (!list) {
      const followed = mask | this.bit('OPTIONS') | ((mask & GET_BIT) !== 0 ? HEAD_BIT : 0)
      list = this.#names(followed)
      this.#allow.set(mask, list)
    }
    return list
  }

  /** The names of exactly these methods, sorted. The same list for the same mask. */
  explicit(mask: number): readonly string[] {
    let list = this.#explicit.get(mask)
    if (!list) {
      list = this.#names(mask)
      this.#explicit.set(mask, list)
    }
    return list
  }

  #names(mask: number): readonly string[] {
    const names = [...this.#bits].filter(([, bit]) => (mask & bit) !== 0).map(([name]) => name)
    return Object.freeze(names.sort())
  }
}

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
