/**
 * Resources: the routes of a collection and its members.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { type ConnectOptions, type Route, type RouteDefinition, requireKnownKeys } from './route.ts'

/** The actions that every resource has. */
export type ResourceAction = 'index' | 'create' | 'new' | 'edit' | 'update' | 'delete' | 'show'

/** Additional actions by name, with the method of each (`'any'` for all). */
export type ActionMethods = Readonly<Record<string, string>>

/** The resource that contains another. */
export interface ParentResource {
  readonly memberName: string
  readonly collectionName: string
}

/** The options of `resource`. */
export interface ResourceOptions {
  /** Defaults to the name of the collection. */
  readonly controller?: string | undefined
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
  /** True if only the collection and `new` are below the parent, and members have paths and names of their own. */
  readonly shallow?: boolean | undefined
  /** Apply to every route of the resource. */
  readonly requirements?: Readonly<Record<string, string | RegExp>> | undefined
  readonly conditions?: ConnectOptions['conditions']
  /** The formats of `/users.json`; an empty list for none. Defaults to those of the mapper. */
  readonly formats?: readonly string[] | null | undefined
  /** The actions to define. Defaults to all. */
  readonly only?: readonly ResourceAction[] | undefined
  /** Actions to leave out. */
  readonly except?: readonly ResourceAction[] | undefined
  readonly filter?: ConnectOptions['filter']
}

const ACTIONS: readonly ResourceAction[] = ['index', 'create', 'new', 'edit', 'update', 'delete', 'show']

const OPTIONS: readonly (keyof ResourceOptions)[] = [
  'controller',
  'collection',
  'member',
  'new',
  'pathPrefix',
  'namePrefix',
  'parentResource',
  'shallow',
  'requirements',
  'conditions',
  'formats',
  'only',
  'except',
  'filter',
]

/** A page of a resource, with and without a format. */
interface Page {
  readonly name: string | null
  readonly method: string
  readonly action: string
  /** The path, then the aliases. */
  readonly plain: readonly string[]
  readonly formatted: readonly string[]
  /** True if the path has the parameter `id`. */
  readonly member: boolean
}

/**
 * Returns the routes of a resource in the order of definition: collection, new, edit, then the other actions of a member, each
 * preceded by the same with a format.
 *
 * @param outer - the prefixes of the place where the resource is defined.
 * @throws RouteDefinitionError E_ROUTE_OPTION - an option or an action does not exist.
 */
export function resourceRoutes(
  member: string,
  collection: string,
  options: ResourceOptions,
  outer: { readonly path: string; readonly names: string } = { path: '', names: '' },
): RouteDefinition[] {
  requireKnownKeys(options, OPTIONS, collection)
  const actions = wantedActions(options, collection)
  const plural = collection.replace(/^\/+|\/+$/g, '')
  const controller = options.controller ?? plural
  const { front, names, memberFront, memberNames } = prefixesOf(options, outer)
  const all = `${front}/${plural}`
  const pages = [
    ...collectionPages(all, plural, names, actions, options.collection),
    ...newPages(`${all}/new`, member, names, actions, options.new),
    ...memberPages(`${memberFront}/${plural}/{id}`, member, memberNames, actions, options.member),
  ]
  // The first segment of a page below the collection is never an id, whatever the method.
  const siblings = front === memberFront ? pages.filter((page) => !page.member) : []
  const reserved = new Set(
    siblings.flatMap(({ plain }) => plain[0]?.slice(all.length + 1).split('/', 1) ?? []).filter(Boolean),
  )
  return pages.flatMap(({ name, method, action, plain, formatted, member: isMember }) => {
    const define = (
      routeName: string | null,
      [path = '', ...aliases]: readonly string[],
    ): RouteDefinition => ({
      name: routeName,
      path,
      options: {
        controller,
        action,
        requirements: options.requirements,
        formats: options.formats,
        filter: options.filter,
        conditions: { ...options.conditions, method },
      },
      extras: {
        resource: { controller, action, member, collection: plural },
        aliases,
        ...(isMember && { member: { name: 'id', reserved } }),
      },
    })
    const route = define(name, plain)
    return options.formats?.length === 0 ? [route] : [define(name && `formatted_${name}`, formatted), route]
  })
}

function wantedActions(options: ResourceOptions, collection: string): ReadonlySet<string> {
  for (const action of [...(options.only ?? []), ...(options.except ?? [])]) {
    if (ACTIONS.includes(action)) continue
    throw new RouteDefinitionError(
      'E_ROUTE_OPTION',
      `The resource "${collection}" has no action "${action}" to leave in or out.`,
      `Use ${ACTIONS.join(', ')}.`,
      { route: collection, parameter: 'only', value: action },
    )
  }
  const except = new Set<string>(options.except)
  return new Set((options.only ?? ACTIONS).filter((action) => !except.has(action)))
}

function prefixesOf(
  { parentResource: parent, pathPrefix, namePrefix, shallow }: ResourceOptions,
  outer: { readonly path: string; readonly names: string },
) {
  const base = trimmed(outer.path)
  const parentPath = parent ? `${parent.collectionName}/{${parent.memberName}_id}` : ''
  const front = base + trimmed(pathPrefix ?? parentPath)
  const names = outer.names + (namePrefix ?? (parent ? `${parent.memberName}_` : ''))
  return { front, names, memberFront: shallow ? base : front, memberNames: shallow ? outer.names : names }
}

function trimmed(prefix: string): string {
  const inside = prefix.replace(/^\/+|\/+$/g, '')
  return inside && `/${inside}`
}

function page(name: string | null, method: string, action: string, path: string, member = false): Page {
  return { name, method, action, plain: [path], formatted: [`${path}.{format}`], member }
}

/** An action with a path of its own: `/users/recent` and `/users;recent`, `/users/1;edit` and `/users/1/edit`. */
function subpage(
  name: string,
  method: string,
  action: string,
  base: string,
  member = false,
  preferred: '/' | ';' = '/',
): Page {
  const slash = [`${base}/${action}.{format}`]
  const semicolon = [`${base}.{format};${action}`, `${base};${action}.{format}`]
  const other = preferred === '/' ? ';' : '/'
  return {
    name,
    method,
    action,
    plain: [base + preferred + action, base + other + action],
    formatted: preferred === '/' ? [...slash, ...semicolon] : [...semicolon, ...slash],
    member,
  }
}

function collectionPages(
  all: string,
  plural: string,
  names: string,
  actions: ReadonlySet<string>,
  additional: ActionMethods = {},
): Page[] {
  // Without a list, `create` has the name of the path.
  const name = `${names}${plural}`
  return [
    ...Object.entries(additional).map(([action, method]) =>
      subpage(`${names}${action}_${plural}`, method, action, all),
    ),
    ...(actions.has('create') ? [page(actions.has('index') ? null : name, 'POST', 'create', all)] : []),
    ...(actions.has('index') ? [page(name, 'GET', 'index', all)] : []),
  ]
}

function newPages(
  path: string,
  member: string,
  names: string,
  actions: ReadonlySet<string>,
  { new: _own, ...additional }: ActionMethods = {},
): Page[] {
  return [
    ...Object.entries(additional).map(([action, method]) =>
      subpage(`${names}${action}_new_${member}`, method, action, path),
    ),
    ...(actions.has('new') ? [page(`${names}new_${member}`, 'GET', 'new', path)] : []),
  ]
}

const MEMBER_ACTIONS = [
  ['PUT', 'update'],
  ['DELETE', 'delete'],
  ['GET', 'show'],
] as const

function memberPages(
  one: string,
  member: string,
  names: string,
  actions: ReadonlySet<string>,
  { edit: _own, ...additional }: ActionMethods = {},
): Page[] {
  const present = MEMBER_ACTIONS.filter(([, action]) => actions.has(action))
  // One path: its name belongs to `show`, or without it to the first of the others.
  const named = actions.has('show') ? 'show' : present[0]?.[1]
  return [
    ...Object.entries(additional).map(([action, method]) =>
      subpage(`${names}${action}_${member}`, method, action, one, true),
    ),
    ...(actions.has('edit') ? [subpage(`${names}edit_${member}`, 'GET', 'edit', one, true, ';')] : []),
    ...present.map(([method, action]) =>
      page(action === named ? names + member : null, method, action, one, true),
    ),
  ]
}

/** Returns the methods of the actions that resources define, by controller and action. */
export function resourceActionsOf(routes: readonly Route[]): Map<string, Map<string, readonly string[]>> {
  const byController = new Map<string, Map<string, readonly string[]>>()
  for (const { resource, methods } of routes) {
    if (!resource || !methods) continue
    const { controller, action } = resource
    const actions = byController.get(controller) ?? new Map<string, readonly string[]>()
    byController.set(controller, actions)
    actions.set(action, [...new Set([...(actions.get(action) ?? []), ...methods])].sort())
  }
  return byController
}
