/**
 * The table of routes: what they are, what a path means among them. The mapper gives it its face.
 *
 * @module
 */

import { RouteCatalogue } from './catalogue.ts'
import { ControllerNames } from './controllers.ts'
import { defineRoute } from './definition.ts'
import { type Diagnosis, diagnose } from './diagnose.ts'
import { type NearMiss, nearMisses } from './explain.ts'
import { rememberSite, remembersSites } from './location.ts'
import { MethodSet } from './methods.ts'
import type { ConnectOptions, Extras, Match, RouteContext } from './options.ts'
import type { Resolution } from './resolution.ts'
import { Resolver, type TrailingSlash } from './resolver.ts'
import type { Route } from './route.ts'
import { type SubDomainSettings, TWO_LABELS } from './subdomain.ts'
import { formatTable, type TableFilter, type TableRow, tableOf } from './table.ts'
import { Tree } from './tree.ts'
import type { GenerationSettings } from './url.ts'

/** How a mapper behaves. */
export interface MapperSettings {
  /** `/users/` where only `/users` is known: `'strict'` (the default) none, `'redirect'`, or `'ignore'` the difference. */
  readonly trailingSlash?: TrailingSlash | undefined
  /** Known formats of `{.format}` and of resources; `['html', 'json']` by default, null for any. */
  readonly formats?: readonly string[] | null | undefined
  /** Yields the names of the known controllers; without it `{controller}` takes any name. */
  readonly controllerScan?: (() => Iterable<string>) | undefined
  /** True to ask for the controllers before every match. */
  readonly alwaysScan?: boolean | undefined
  /** Stands in front of every path. */
  readonly prefix?: string | undefined
  /** True to end every generated path in a slash. */
  readonly appendSlash?: boolean | undefined
  /** True to have `subDomain` in every match, and to lead from one to another. */
  readonly subDomains?: boolean | undefined
  /** Sub-domains that count as none. */
  readonly subDomainsIgnore?: readonly string[] | undefined
  /** What a bare domain looks like at the end of a host; its last two labels by default. */
  readonly domainMatch?: RegExp | undefined
  /** Longer raw paths match nothing; 16384 by default. */
  readonly maxPathLength?: number | undefined
  /** Whether routes remember where they were defined; not in production by default. */
  readonly rememberSites?: boolean | undefined
}

/** What `match` and `routematch` take beside the path. */
export interface MatchContext extends RouteContext {
  /** Without it any method will do. */
  readonly method?: string | undefined
}

/** Routes in the order of definition, with what matches and generates them. */
export class RouteTable {
  /** Yields the names of the known controllers; null or undefined where any will do. */
  controllerScan: (() => Iterable<string>) | undefined
  /** False: controllers are scanned and routes indexed anew at the next match, whereupon it is true. */
  _created_regs = false
  readonly formats: readonly string[] | null
  readonly #settings: MapperSettings
  readonly #subDomains: SubDomainSettings
  readonly #methods = new MethodSet()
  readonly #catalogue = new RouteCatalogue()
  readonly #rememberSites: boolean
  #resolver: Resolver | undefined
  #resourceActions: Map<string, Map<string, readonly string[]>> | undefined

  constructor(settings: MapperSettings = {}) {
    this.#settings = settings
    this.controllerScan = settings.controllerScan
    this.formats = settings.formats === undefined ? ['html', 'json'] : settings.formats
    this.#rememberSites = settings.rememberSites ?? remembersSites()
    this.#subDomains = {
      enabled: settings.subDomains ?? false,
      ignore: new Set(settings.subDomainsIgnore),
      domain: settings.domainMatch ?? TWO_LABELS,
    }
  }

  /** The routes in the order of definition. */
  get routes(): readonly Route[] {
    return this.#catalogue.routes
  }

  /** Defines routes of another mapper once more, below a path. */
  extend(routes: Iterable<Route>, pathPrefix = '', namePrefix = ''): this {
    for (const { definition } of [...routes]) {
      const { name, path, options, extras } = definition
      const under = (inner: string) =>
        /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(inner) ? inner : join(pathPrefix, inner)
      const { redirect } = extras
      this.define(name === null ? null : namePrefix + name, under(path), options, {
        ...extras,
        aliases: (extras.aliases ?? []).map(under),
        ...(redirect && { redirect: { ...redirect, destination: under(redirect.destination) } }),
      })
    }
    return this
  }

  /** What `connect` and its kin come down to. */
  define(name: string | null, path: string, options: ConnectOptions, extras: Extras = {}): void {
    const site = this.#rememberSites ? rememberSite() : undefined
    const { formats } = this
    const prefix = this.#settings.prefix ?? ''
    this.#catalogue.add(
      defineRoute(name, path, options, extras, { formats, methods: this.#methods, prefix, site }),
    )
    this._created_regs = false
    this.#resourceActions = undefined
  }

  /**
   * What a path means.
   *
   * @param path - raw, still percent-encoded, without query.
   * @param context - with a `method`, only routes that take it match.
   * @returns the values (without prototype), or null when no route fits.
   */
  match(path: string, context?: MatchContext): Match | null {
    return this.routematch(path, context)?.[0] ?? null
  }

  /** As {@link match}, with the route. */
  routematch(path: string, context?: MatchContext): [match: Match, route: Route] | null {
    return this.#ready().first(context?.method, path, context)
  }

  /**
   * What is to become of a request: the one call that dispatch makes.
   *
   * @param method - upper case, as sent. HEAD is taken by routes for GET unless one names HEAD.
   * @param path - raw, still percent-encoded, without query and without the mount point.
   */
  resolve(method: string, path: string, context?: RouteContext): Resolution {
    return this.#ready().resolve(method, path, context)
  }

  /** The methods that routes whose path fits name themselves, sorted. */
  methodsAt(path: string, context?: RouteContext): readonly string[] {
    return this.#ready().methodsAt(path, context)
  }

  /** The routes as data, in order; static ones are left out. */
  table(filter?: TableFilter): TableRow[] {
    return tableOf(this.#catalogue.routes, filter)
  }

  /** The routes in columns: name, methods, path, controller, action. */
  toString(filter?: TableFilter): string {
    return formatTable(this.table(filter))
  }

  /** The routes as data, for `JSON.stringify`. */
  toJSON(): TableRow[] {
    return this.table()
  }

  /** Routes that can never be reached, names used twice, patterns that explode. */
  diagnose(): Diagnosis[] {
    const resolver = this.#ready()
    return diagnose(this.#catalogue.routes, resolver.tree, resolver.controllers)
  }

  /** Why a request finds no route: the routes that nearly match, the nearest first, and which condition fails. At most ten. */
  explain(method: string, path: string, context?: RouteContext): NearMiss[] {
    return nearMisses(this.#catalogue.routes, this.#ready().rejections(method, path, context), path)
  }

  /** Which methods the resources of a controller bind its actions to. */
  resourceActions(controller: string): ReadonlyMap<string, readonly string[]> | undefined {
    this.#resourceActions ??= resourceActionsOf(this.#catalogue.routes)
    return this.#resourceActions.get(controller)
  }

  /** What generation needs to know of the routes. */
  protected get generation(): GenerationSettings {
    return {
      catalogue: this.#catalogue,
      subDomains: this.#subDomains,
      appendSlash: this.#settings.appendSlash ?? false,
    }
  }

  #ready(): Resolver {
    if (this._created_regs && this.#resolver && !this.#settings.alwaysScan) return this.#resolver
    const controllers = this.controllerScan ? new ControllerNames(this.controllerScan()) : null
    this.#resolver = new Resolver(new Tree(this.#catalogue.routes, controllers), {
      controllers,
      methods: this.#methods,
      subDomains: this.#subDomains,
      trailingSlash: this.#settings.trailingSlash ?? 'strict',
      maxPathLength: this.#settings.maxPathLength ?? 16384,
    })
    this._created_regs = true
    return this.#resolver
  }
}

function join(front: string, path: string): string {
  return front.replace(/\/+$/, '') + (path.startsWith('/') ? path : `/${path}`)
}

function resourceActionsOf(routes: readonly Route[]): Map<string, Map<string, readonly string[]>> {
  const byController = new Map<string, Map<string, readonly string[]>>()
  for (const { resource, methods } of routes) {
    if (!resource || !methods) continue
    let actions = byController.get(resource.controller)
    if (!actions) {
      actions = new Map()
      byController.set(resource.controller, actions)
    }
    actions.set(resource.action, [...new Set([...(actions.get(resource.action) ?? []), ...methods])].sort())
  }
  return byController
}
