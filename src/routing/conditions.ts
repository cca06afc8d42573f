/**
 * The conditions of routes beside their path: request methods, sub-domains, known controllers, and
 * what their values must fulfil.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { type Parameter, valueIn } from './pattern.ts'
import { decodeLiteral } from './percent.ts'

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
  readonly #bits = new Map<string, number>()
  readonly #allow = new Map<number, readonly string[]>()
  readonly #names = new Map<number, readonly string[]>()

  constructor() {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) this.#add(method)
  }

  #add(method: string): number {
    const bit = 1 << this.#bits.size
    this.#bits.set(method, bit)
    return bit
  }

  /** Returns the mask with the bit of a method, or 0 if no route names the method. */
  bit(method: string): number {
    return this.#bits.get(method) ?? 0
  }

  /**
   * Returns the mask of some methods; null means any.
   *
   * @throws RouteDefinitionError E_ROUTE_METHOD - a name is not a token (RFC 9110 §9.1), or the mapper has 30 methods already.
   */
  mask(methods: readonly string[] | null, route: string): number {
    if (methods === null) return ANY_METHOD
    let mask = 0
    for (const method of methods) {
      if (!TOKEN.test(method) || (!this.#bits.has(method) && this.#bits.size >= MAX_METHODS)) {
        throw new RouteDefinitionError(
          'E_ROUTE_METHOD',
          `Route "${route}" has the method "${method}", which is not a method name, or exceeds the ${MAX_METHODS} methods that a mapper can have.`,
          "Set conditions.method to a name such as 'GET', or to a list of names.",
          { route, parameter: 'method', value: method },
        )
      }
      mask |= this.#bits.get(method) ?? this.#add(method)
    }
    return mask
  }

  /** Returns the value of an `Allow` field: sorted, with HEAD wherever GET is, and OPTIONS. The list is cached. */
  allow(mask: number): readonly string[] {
    let list = this.#allow.get(mask)
    if (!list) {
      list = this.#list(mask | this.bit('OPTIONS') | ((mask & GET_BIT) !== 0 ? HEAD_BIT : 0))
      this.#allow.set(mask, list)
    }
    return list
  }

  /** Returns the names of exactly these methods, sorted. The list is cached. */
  names(mask: number): readonly string[] {
    let list = this.#names.get(mask)
    if (!list) {
      list = this.#list(mask)
      this.#names.set(mask, list)
    }
    return list
  }

  #list(mask: number): readonly string[] {
    const names = [...this.#bits].filter(([, bit]) => (mask & bit) !== 0).map(([name]) => name)
    return Object.freeze(names.sort())
  }
}

/** How a mapper treats sub-domains. */
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
const DOMAIN = /[^./:]+(?:\.[^./:]+)?$/

/** Parses a `Host` field. Host names are case-insensitive (RFC 9110 §4.2.3), and an address has no sub-domain. */
export function parseHost(given: string, settings: SubDomainSettings): HostParts {
  const host = given.toLowerCase()
  const port = /:\d*$/.exec(host)?.[0] ?? ''
  const name = (port ? host.slice(0, -port.length) : host).replace(/\.$/, '')
  if (ADDRESS.test(name)) return { subDomain: null, domain: name, port }
  const at = Math.max(0, name.search(DOMAIN))
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

/** Names that begin with a segment. */
interface NamesWithSegment {
  /** The name that consists of the segment alone. */
  name: string | undefined
  /** Number of segments of the longest name that begins with it. */
  depth: number
}

/** The known controllers, by the text that a URL can have for them. */
export class ControllerNames {
  readonly #byText = new Map<string, string>()
  readonly #byFirstSegment = new Map<string, NamesWithSegment>()

  /**
   * @param names - every known name, with slashes if nested. In a URL, a name with underscores can be written with dashes,
   *   unless that is another name.
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
    for (const [text, name] of this.#byText) {
      const segments = text.split('/')
      const [first = ''] = segments
      const known = this.#byFirstSegment.get(first) ?? { name: undefined, depth: 0 }
      this.#byFirstSegment.set(first, known)
      if (segments.length === 1) known.name = name
      known.depth = Math.max(known.depth, segments.length)
    }
  }

  /** Returns the names that begin with a decoded segment. */
  withFirstSegment(segment: string): Readonly<NamesWithSegment> | undefined {
    return this.#byFirstSegment.get(segment)
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

/** The constraints of a route on the values of its path and on the sub-domain. */
export class Constraints {
  readonly subDomain: boolean | readonly string[] | undefined
  readonly #parameters: readonly Parameter[]
  /** True if every text that is not empty will do. Names of controllers are checked by the tree. */
  readonly #onlyNonEmpty: boolean

  constructor(subDomain: boolean | readonly string[] | undefined, parameters: readonly Parameter[]) {
    this.subDomain = subDomain
    this.#parameters = parameters
    this.#onlyNonEmpty = parameters.every(
      ({ requirement, separator, reserved }) => requirement === null && separator === '' && reserved === null,
    )
  }

  /** Returns true if both impose the same constraints. May return false for equivalent ones written differently. */
  equals(other: Constraints): boolean {
    return (
      this.subDomain === other.subDomain &&
      this.#parameters.length === other.#parameters.length &&
      this.#parameters.every((one, index) => {
        const two = other.#parameters[index]
        return (
          one.requirement === two?.requirement &&
          one.controller === two.controller &&
          one.separator === two.separator &&
          one.reserved === two.reserved &&
          String(one.suffixes) === String(two.suffixes)
        )
      })
    )
  }

  /** Returns true if the parameters accept the first `count` of some marked texts. */
  accept(
    texts: readonly string[],
    count: number,
    escaped: boolean,
    controllers: ControllerNames | null,
  ): boolean {
    const parameters = this.#parameters
    if (count !== parameters.length) return false
    for (let index = 0; index < count; index++) {
      const parameter = parameters[index]
      const text = texts[index]
      if (parameter === undefined || text === undefined) return false
      if (this.#onlyNonEmpty ? text === '' : !acceptsText(parameter, text, escaped, controllers)) return false
    }
    return true
  }
}

/** Returns true if a parameter accepts a marked text. */
export function acceptsText(
  parameter: Parameter,
  text: string,
  escaped: boolean,
  controllers: ControllerNames | null,
): boolean {
  if (!parameter.controller || controllers === null) return valueIn(parameter, text, escaped) !== undefined
  const name = controllers.find(escaped ? decodeLiteral(text) : text)
  return name !== undefined && valueIn(parameter, name, false) !== undefined
}
