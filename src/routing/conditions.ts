/**
 * The conditions of routes beside their path: request methods, sub-domains and known controllers.
 *
 * @module
 */

import { getOrCreate } from '../base/get-or-create.ts'
import { METHODS } from '../base/methods.ts'
import { RouteDefinitionError } from './routing-error.ts'

/** The mask of a route that accepts any method: a bit that no method has. */
export const ANY_METHOD = 1 << 31

/** The mask that has a bit in common with every route. */
export const EVERY_ROUTE = -1

export const GET_BIT = 1
export const HEAD_BIT = 2

const TOKEN = /^[A-Z0-9!#$%&'*+.^_`|~-]+$/
const MAX_METHODS = 30

/** The methods that the routes of one mapper name, as bits of a mask. */
export class MethodSet {
  /** The bit of each method. */
  readonly bits = new Map(
    // GET and HEAD have the first bits.
    METHODS.map((method, index) => [method, 1 << index]),
  )
  readonly #lists = new Map<number, readonly string[]>()

  /**
   * Returns the mask of some methods; null means any.
   *
   * @throws RouteDefinitionError E_ROUTE_METHOD - a name is not a token (RFC 9110 §9.1), or the mapper has 30 methods
   *   already.
   */
  mask(methods: readonly string[] | null, route: string): number {
    if (methods === null) return ANY_METHOD
    let mask = 0
    for (const method of methods) {
      const bit = this.bits.get(method) ?? 1 << this.bits.size
      if (!TOKEN.test(method) || bit === 1 << MAX_METHODS) {
        const message = `Route "${route}" has the method "${method}", which is not a method name, or exceeds the ${MAX_METHODS} methods that a mapper can have.`
        const fix = "Set conditions.method to a name such as 'GET', or to a list of names."
        const details = { route, parameter: 'method', value: method }
        throw new RouteDefinitionError('E_ROUTE_METHOD', message, fix, details)
      }
      this.bits.set(method, bit)
      mask |= bit
    }
    return mask
  }

  /** Returns the value of an `Allow` field: sorted, with HEAD wherever GET is, and OPTIONS. */
  allow(mask: number): readonly string[] {
    return this.names(mask | (this.bits.get('OPTIONS') ?? 0) | ((mask & GET_BIT) !== 0 ? HEAD_BIT : 0))
  }

  /** Returns the names of exactly these methods, sorted. The list is cached. */
  names(mask: number): readonly string[] {
    return getOrCreate(this.#lists, mask, () => {
      const names = [...this.bits].filter(([, bit]) => (mask & bit) !== 0).map(([name]) => name)
      return Object.freeze(names.sort())
    })
  }
}

/** The settings of a mapper for sub-domains. */
export interface SubDomainSettings {
  /** True if every match has `subDomain`, and URLs can lead from one sub-domain to another. */
  readonly enabled: boolean
  /** Sub-domains that count as none, such as `www`. */
  readonly ignore: ReadonlySet<string>
}

/** The parts of a host. */
export interface HostParts {
  /** Null if there is none, or it counts as none. */
  readonly subDomain: string | null
  /** The last two labels, or the only one, or an IP address. */
  readonly domain: string
  /** The port with its colon, or ''. */
  readonly port: string
}

const ADDRESS = /^(?:\[.*\]|\d+(?:\.\d+){3})$/

/** Parses a `Host` field. Host names are case-insensitive (RFC 9110 §4.2.3), and an address has no sub-domain. */
export function parseHost(given: string, settings: SubDomainSettings): HostParts {
  const host = given.toLowerCase()
  const port = /:\d*$/.exec(host)?.[0] ?? ''
  const name = (port ? host.slice(0, -port.length) : host).replace(/\.$/, '')
  if (ADDRESS.test(name)) return { subDomain: null, domain: name, port }
  const at = name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1
  const front = name.slice(0, at).replace(/\.$/, '')
  const ignored = front === '' || settings.ignore.has(front)
  return { subDomain: ignored ? null : front, domain: name.slice(at), port }
}

/** Returns true if a sub-domain fulfils the condition of a route. */
export function subDomainMatches(
  condition: boolean | readonly string[] | undefined,
  subDomain: string | null,
): boolean {
  if (condition === undefined) return true
  if (condition === true) return subDomain !== null
  if (condition === false) return subDomain === null
  return subDomain !== null && condition.some((name) => name.toLowerCase() === subDomain)
}

/** Returns the sub-domain of a request, or null if it has none. */
export function subDomainOf(
  { host = '' }: { readonly host?: string | undefined },
  settings: SubDomainSettings,
): string | null {
  return parseHost(host, settings).subDomain
}

/** The known controllers, by the text that a URL can have for them. */
export class ControllerNames {
  readonly #byText = new Map<string, string>()
  readonly #depths = new Map<string, number>()

  /**
   * @param names - every known name, with slashes if nested. In a URL, a name with underscores can be written with
   *   dashes, unless that is another name.
   */
  constructor(names: Iterable<string>) {
    const dashed = new Map<string, string | undefined>()
    for (const name of names) {
      this.#byText.set(name, name)
      const text = name.replaceAll('_', '-')
      if (text !== name) dashed.set(text, dashed.has(text) && dashed.get(text) !== name ? undefined : name)
    }
    for (const [text, name] of dashed) {
      if (name !== undefined && !this.#byText.has(text)) this.#byText.set(text, name)
    }
    for (const text of this.#byText.keys()) {
      const { length, 0: first = '' } = text.split('/')
      this.#depths.set(first, Math.max(length, this.depth(first)))
    }
  }

  /** Returns the number of segments of the longest name that begins with a segment, 0 if none does. */
  depth(segment: string): number {
    return this.#depths.get(segment) ?? 0
  }

  /** Returns the name of a controller for a decoded text. */
  find(text: string): string | undefined {
    return this.#byText.get(text)
  }

  /** Returns every text that is accepted for a name, longest first. */
  texts(): string[] {
    return [...this.#byText.keys()].sort((a, b) => b.length - a.length)
  }
}
