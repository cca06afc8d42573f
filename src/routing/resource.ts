/**
 * Resources: the routes of a collection and its members.
 *
 * @module
 */

import { trim } from '../base/trim.ts'
import { type ConnectOptions, type RouteDefinition, requireKnownKeys } from './route.ts'
import { RouteDefinitionError } from './routing-error.ts'

/** The actions that every resource has. */
export type ResourceAction = 'index' | 'create' | 'new' | 'edit' | 'update' | 'delete' | 'show'

/** Additional actions by name, with the method of each (`'any'` for all). */
export type ActionMethods = Readonly<Record<string, string>>

/** The resource that contains another. */
export interface ParentResource {
  readonly memberName: string
  readonly collectionName: string
}

/** The path of the action `edit` in generated URLs, below the path of the member. */
export type EditPath = ';edit' | '/edit'

/** The options of `resource`. */
export interface ResourceOptions {
  /** Defaults to the name of the collection. */
  readonly controller?: string | undefined
  /** The parameter that names a member, and the argument of its actions. Defaults to `id`. */
  readonly param?: string | undefined
  /** Additional actions of the collection: `/users/<action>`. */
  readonly collection?: ActionMethods | undefined
  /** Additional actions of a member: `/users/{id}/<action>`. */
  readonly member?: ActionMethods | undefined
  /** Additional actions of a new member: `/users/new/<action>`. */
  readonly new?: ActionMethods | undefined
  /** The beginning of the paths; it may have parameters. */
  readonly pathPrefix?: string | undefined
  /** The beginning of the names, after `formatted_`. */
  readonly namePrefix?: string | undefined
  readonly parentResource?: ParentResource | undefined
  /** Apply to every route of the resource. */
  readonly requirements?: Readonly<Record<string, string | RegExp>> | undefined
  readonly conditions?: ConnectOptions['conditions']
  /** The formats of `/users.json`; an empty list for none. Defaults to the formats of the mapper. */
  readonly formats?: readonly string[] | null | undefined
  /** The actions to define. Defaults to all. */
  readonly only?: readonly ResourceAction[] | undefined
  /** Actions to leave out. */
  readonly except?: readonly ResourceAction[] | undefined
  readonly filter?: ConnectOptions['filter']
}

const ACTIONS: readonly ResourceAction[] = ['index', 'create', 'new', 'edit', 'update', 'delete', 'show']

const OPTIONS =
  'controller param collection member new pathPrefix namePrefix parentResource requirements conditions formats only except filter'.split(
    ' ',
  )

/** A page of a resource, with and without a format. */
interface Page {
  readonly action: string
  readonly method: string
  /** The name of the path. It belongs to the page for GET, or without one to the first. */
  readonly name: string
  /** The path, then the aliases. */
  readonly plain: readonly string[]
  readonly formatted: readonly string[]
  /** True if the path has the parameter of a member. */
  readonly member: boolean
}

/** The place where a resource is defined. */
interface Place {
  readonly path: string
  readonly names: string
  readonly editPath: EditPath
}

/**
 * Returns the routes of a resource in the order of definition: collection, new, edit, then the other actions of a
 * member, each preceded by the same with a format.
 *
 * @param outer - the prefixes of the place where the resource is defined, and the path of `edit`.
 * @throws RouteDefinitionError E_ROUTE_OPTION - an option or an action does not exist.
 */
export function resourceRoutes(
  member: string,
  collection: string,
  options: ResourceOptions,
  outer: Place,
): RouteDefinition[] {
  requireKnownKeys(options, OPTIONS, collection)
  const { requirements, formats, filter, param = 'id' } = options
  requireParam(param, collection)
  const plural = trim(collection, '/')
  const controller = options.controller ?? plural
  const pages = pagesOf(member, plural, options, outer)
  const owners = new Map<string, Page>()
  for (const page of pages) if (page.method === 'GET' || !owners.has(page.name)) owners.set(page.name, page)
  const reserved = reservedIn(pages, `{${param}}`)
  return pages.flatMap((page) => {
    const { action, method, plain, formatted, member: isMember } = page
    const name = owners.get(page.name) === page ? page.name : null
    const define = (routeName: string | null, [path = '', ...aliases]: readonly string[]): RouteDefinition => ({
      name: routeName,
      path,
      options: { controller, action, requirements, formats, filter, conditions: { ...options.conditions, method } },
      extras: {
        resource: { controller, action, member, collection: plural },
        aliases,
        ...(isMember && { member: { name: param, reserved } }),
      },
    })
    const route = define(name, plain)
    return formats?.length === 0 ? [route] : [define(name && `formatted_${name}`, formatted), route]
  })
}

/** @throws RouteDefinitionError E_ROUTE_OPTION - the parameter of a member is not a name, or has another meaning. */
function requireParam(param: unknown, collection: string): void {
  if (typeof param === 'string' && /^[A-Za-z_]\w*$/.test(param) && !OTHER_PARAMETERS.has(param)) return
  const message = `The resource "${collection}" has the param ${JSON.stringify(param)}.`
  const fix = "Write the name of an argument, such as 'slug', other than controller, action and format."
  throw new RouteDefinitionError('E_ROUTE_OPTION', message, fix, { route: collection, parameter: 'param' })
}

const OTHER_PARAMETERS: ReadonlySet<string> = new Set(['action', 'controller', 'format', 'path_info'])

/** Returns the first segments of the pages beside a member's. They are never ids, whatever the method. */
function reservedIn(pages: readonly Page[], parameter: string): ReadonlySet<string> {
  const [one = ''] = pages.find(({ member }) => member)?.plain ?? []
  const front = one.slice(0, one.indexOf(parameter))
  const siblings = pages.flatMap(({ member, plain }) => (member ? [] : plain.slice(0, 1)))
  return new Set(siblings.flatMap((path) => (path.startsWith(front) ? path.slice(front.length).split('/', 1) : [])))
}

function pagesOf(member: string, plural: string, options: ResourceOptions, outer: Place): Page[] {
  const actions = wantedActions(options, plural)
  const place = placeOf(options, outer)
  const all = `${place.path}/${plural}`
  const one = `${place.path}/${plural}/{${options.param ?? 'id'}}`
  const page = (action: string, method: string, name: string, base: string, own?: EditPath): Page => ({
    action,
    method,
    name,
    member: base === one,
    ...pathsOf(base, action, own),
  })
  const standard = (...pages: Page[]) => pages.filter(({ action }) => actions.has(action))
  const additional = (methods: ActionMethods = {}, name: string, base: string, names: string): Page[] =>
    Object.entries(methods).map(([action, method]) => page(action, method, `${names}${action}_${name}`, base, '/edit'))
  const { new: _new, ...newActions } = options.new ?? {}
  const { edit: _edit, ...memberActions } = options.member ?? {}
  const list = place.names + plural
  const item = place.names + member
  return [
    ...additional(options.collection, plural, all, place.names),
    ...standard(page('create', 'POST', list, all), page('index', 'GET', list, all)),
    ...additional(newActions, `new_${member}`, `${all}/new`, place.names),
    ...standard(page('new', 'GET', `${place.names}new_${member}`, `${all}/new`)),
    ...additional(memberActions, member, one, place.names),
    ...standard(
      page('edit', 'GET', `${place.names}edit_${member}`, one, outer.editPath),
      page('update', 'PUT', item, one),
      page('delete', 'DELETE', item, one),
      page('show', 'GET', item, one),
    ),
  ]
}

/**
 * Returns the paths of an action.
 *
 * @param own - the kind of path that is generated for an action with a path of its own: `/users/1/edit` or
 *   `/users/1;edit`. Both match. Undefined for an action at the path itself.
 */
function pathsOf(base: string, action: string, own: EditPath | undefined): Pick<Page, 'plain' | 'formatted'> {
  if (own === undefined) return { plain: [base], formatted: [`${base}.{format}`] }
  const slash = [`${base}/${action}.{format}`]
  const semicolon = [`${base}.{format};${action}`, `${base};${action}.{format}`]
  const plain = [`${base}/${action}`, `${base};${action}`]
  return own === '/edit'
    ? { plain, formatted: [...slash, ...semicolon] }
    : { plain: plain.reverse(), formatted: [...semicolon, ...slash] }
}

function wantedActions(options: ResourceOptions, collection: string): ReadonlySet<string> {
  const wrong = [...(options.only ?? []), ...(options.except ?? [])].find((action) => !ACTIONS.includes(action))
  if (wrong !== undefined) {
    const message = `The resource "${collection}" has no action "${wrong}" to leave in or out.`
    const details = { route: collection, parameter: 'only', value: wrong }
    throw new RouteDefinitionError('E_ROUTE_OPTION', message, `Use ${ACTIONS.join(', ')}.`, details)
  }
  const except = new Set<string>(options.except)
  return new Set((options.only ?? ACTIONS).filter((action) => !except.has(action)))
}

/** Returns the prefixes of the paths and names of a resource. */
function placeOf({ parentResource: parent, pathPrefix, namePrefix }: ResourceOptions, outer: Place): Place {
  const parentPath = parent ? `${parent.collectionName}/{${parent.memberName}_id}` : ''
  return {
    path: trimmed(outer.path) + trimmed(pathPrefix ?? parentPath),
    names: outer.names + (namePrefix ?? (parent ? `${parent.memberName}_` : '')),
    editPath: outer.editPath,
  }
}

function trimmed(prefix: string): string {
  const inside = trim(prefix, '/')
  return inside && `/${inside}`
}
