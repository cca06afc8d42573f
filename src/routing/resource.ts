/**
 * Resources: the routes of a collection and its members, by one line.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import type { ConnectOptions, Extras } from './route.ts'

/** The resource's own actions. */
export type ResourceAction = 'index' | 'create' | 'new' | 'edit' | 'update' | 'delete' | 'show'

/** Further actions: their names, and the method that each takes (`'any'` for all). */
export type ActionMethods = Readonly<Record<string, string>>

/** The resource that another is nested in. */
export interface ParentResource {
  readonly memberName: string
  readonly collectionName: string
}

/** What `resource` takes beside the two names. */
export interface ResourceOptions {
  /** The controller; the collection's name by default. */
  readonly controller?: string | undefined
  /** Further actions of the collection: `/users/<action>`. */
  readonly collection?: ActionMethods | undefined
  /** Further actions of a member: `/users/{id}/<action>`. */
  readonly member?: ActionMethods | undefined
  /** Further actions of a new member: `/users/new/<action>`. */
  readonly new?: ActionMethods | undefined
  /** What stands in front of the path; may hold parameters. */
  readonly pathPrefix?: string | undefined
  /** What stands in front of the names (behind `formatted_`). */
  readonly namePrefix?: string | undefined
  readonly parentResource?: ParentResource | undefined
  /** True: only the collection and `new` stay below the parent; members have a path and names of their own. */
  readonly shallow?: boolean | undefined
  /** Hold on every route of the resource. */
  readonly requirements?: Readonly<Record<string, string | RegExp>> | undefined
  readonly conditions?: ConnectOptions['conditions']
  /** The formats of `/users.json`; the mapper's by default, an empty list for none. */
  readonly formats?: readonly string[] | null | undefined
  /** Only these of the resource's own actions. */
  readonly only?: readonly ResourceAction[] | undefined
  /** Without these of the resource's own actions. */
  readonly except?: readonly ResourceAction[] | undefined
  readonly filter?: ConnectOptions['filter']
}

/** One route of a resource, ready to be defined. */
export interface ResourceRoute {
  readonly name: string | null
  readonly path: string
  readonly options: ConnectOptions
  readonly extras: Extras
}

interface Draft {
  readonly name: string | null
  readonly method: string
  readonly action: string
  /** The path, and the formatted one. */
  readonly paths: readonly [plain: string, formatted: string]
  readonly aliases?: readonly [plain: readonly string[], formatted: readonly string[]]
  readonly member?: boolean
}

const ACTIONS: readonly ResourceAction[] = ['index', 'create', 'new', 'edit', 'update', 'delete', 'show']

/**
 * The routes of a resource in the order of definition: collection, new, edit, then the other actions of a member, each after
 * its formatted kin.
 *
 * @param under - the prefixes of the place where it is defined.
 * @throws RouteDefinitionError E_ROUTE_OPTION for an action that a resource does not have.
 */
export function resourceRoutes(
  member: string,
  collection: string,
  options: ResourceOptions,
  under: { readonly path: string; readonly names: string } = { path: '', names: '' },
): ResourceRoute[] {
  const wanted = wantedActions(options, collection)
  const plural = collection.replace(/^\/+|\/+$/g, '')
  const controller = options.controller ?? plural
  const { front, names, memberFront, memberNames } = prefixes(options, under)
  const all = `${front}/${plural}`
  const one = `${memberFront}/${plural}/{id}`
  const drafts = [
    ...collectionDrafts(all, plural, names, wanted, options),
    ...newDrafts(`${all}/new`, member, names, wanted, options),
    ...memberDrafts(one, member, memberNames, wanted, options),
  ]
  // What stands where an id would is never one, whatever the method.
  const siblings = front === memberFront ? drafts.filter((draft) => !draft.member) : []
  const reserved = new Set(
    siblings.flatMap(({ paths }) => paths[0].slice(all.length + 1).split('/', 1)).filter(Boolean),
  )
  const formatted = options.formats === null || options.formats === undefined || options.formats.length > 0
  return drafts.flatMap((draft) => {
    const resource = { controller, action: draft.action, member, collection: plural }
    const common: ConnectOptions = {
      controller,
      action: draft.action,
      requirements: options.requirements,
      formats: options.formats,
      filter: options.filter,
      conditions: { ...options.conditions, method: draft.method },
    }
    const kin = (index: 0 | 1): ResourceRoute => ({
      name: draft.name && (index === 0 ? draft.name : `formatted_${draft.name}`),
      path: draft.paths[index],
      options: common,
      extras: {
        resource,
        aliases: draft.aliases?.[index] ?? [],
        ...(draft.member && { member: { name: 'id', reserved } }),
      },
    })
    return formatted ? [kin(1), kin(0)] : [kin(0)]
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

function prefixes(
  { parentResource: parent, pathPrefix, namePrefix, shallow }: ResourceOptions,
  under: { readonly path: string; readonly names: string },
) {
  const base = trimmed(under.path)
  const front =
    base + trimmed(pathPrefix ?? (parent ? `${parent.collectionName}/{${parent.memberName}_id}` : ''))
  const names = under.names + (namePrefix ?? (parent ? `${parent.memberName}_` : ''))
  return { front, names, memberFront: shallow ? base : front, memberNames: shallow ? under.names : names }
}

function trimmed(prefix: string): string {
  const inside = prefix.replace(/^\/+|\/+$/g, '')
  return inside && `/${inside}`
}

function collectionDrafts(
  all: string,
  plural: string,
  names: string,
  wanted: ReadonlySet<string>,
  options: ResourceOptions,
): Draft[] {
  const further = Object.entries(options.collection ?? {}).map(([action, method]) => ({
    name: `${names}${action}_${plural}`,
    method,
    action,
    paths: [`${all}/${action}`, `${all}/${action}.{format}`] as const,
    aliases: [[`${all};${action}`], [`${all}.{format};${action}`]] as const,
  }))
  const bare = [all, `${all}.{format}`] as const
  // The list and `create` share a path and a name; where there is no list, the path's name goes to `create`.
  const own: Draft[] = []
  if (wanted.has('create')) {
    own.push({
      name: wanted.has('index') ? null : `${names}${plural}`,
      method: 'POST',
      action: 'create',
      paths: bare,
    })
  }
  if (wanted.has('index'))
    own.push({ name: `${names}${plural}`, method: 'GET', action: 'index', paths: bare })
  return [...further, ...own]
}

function newDrafts(
  path: string,
  member: string,
  names: string,
  wanted: ReadonlySet<string>,
  options: ResourceOptions,
): Draft[] {
  const { new: _forced, ...further } = options.new ?? {}
  const drafts: Draft[] = Object.entries(further).map(([action, method]) => ({
    name: `${names}${action}_new_${member}`,
    method,
    action,
    paths: [`${path}/${action}`, `${path}/${action}.{format}`],
    aliases: [[`${path};${action}`], [`${path}.{format};${action}`]],
  }))
  if (wanted.has('new')) {
    drafts.push({
      name: `${names}new_${member}`,
      method: 'GET',
      action: 'new',
      paths: [path, `${path}.{format}`],
    })
  }
  return drafts
}

function memberDrafts(
  one: string,
  member: string,
  names: string,
  wanted: ReadonlySet<string>,
  options: ResourceOptions,
): Draft[] {
  const { edit: _forced, ...further } = options.member ?? {}
  const drafts: Draft[] = Object.entries(further).map(([action, method]) => ({
    name: `${names}${action}_${member}`,
    method,
    action,
    member: true,
    paths: [`${one}/${action}`, `${one}/${action}.{format}`],
    aliases: [[`${one};${action}`], [`${one}.{format};${action}`, `${one};${action}.{format}`]],
  }))
  if (wanted.has('edit')) {
    drafts.push({
      name: `${names}edit_${member}`,
      method: 'GET',
      action: 'edit',
      member: true,
      paths: [`${one};edit`, `${one}.{format};edit`],
      aliases: [[`${one}/edit`], [`${one};edit.{format}`, `${one}/edit.{format}`]],
    })
  }
  const bare = [one, `${one}.{format}`] as const
  // All share one path; its name goes to `show`, or to the first of them where there is no `show`.
  const own = [
    ['PUT', 'update'],
    ['DELETE', 'delete'],
    ['GET', 'show'],
  ] as const
  const present = own.filter(([, action]) => wanted.has(action))
  const named = wanted.has('show') ? 'show' : present[0]?.[1]
  for (const [method, action] of present) {
    drafts.push({ name: action === named ? names + member : null, method, action, member: true, paths: bare })
  }
  return drafts
}
