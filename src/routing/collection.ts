/**
 * Collections: the routes of a list and its entries, with optional suffixes.
 *
 * @module
 */

import type { ConnectOptions } from './options.ts'
import type { Submapper, SubmapperAction } from './submapper.ts'

/** What `collection` takes beside the two names. */
export interface CollectionOptions {
  /** Where the list is; `/<collection>` by default. */
  readonly pathPrefix?: string | undefined
  /** What stands behind the list's path for an entry; `/{id}` by default. */
  readonly memberPrefix?: string | undefined
  /** The controller; the member's name by default. */
  readonly controller?: string | undefined
  readonly namePrefix?: string | undefined
  /** The list's actions; `index`, `create` and `new` by default. */
  readonly collectionActions?: readonly SubmapperAction[] | undefined
  /** An entry's actions; `show`, `update`, `delete` and `edit` by default. */
  readonly memberActions?: readonly SubmapperAction[] | undefined
  /** What only an entry's routes have. */
  readonly memberOptions?: ConnectOptions | undefined
  readonly requirements?: ConnectOptions['requirements']
  readonly formatted?: boolean | undefined
}

/** Defines the routes of a collection within a sub-mapper. */
export function collectionRoutes(
  parent: Submapper,
  collection: string,
  member: string,
  options: CollectionOptions,
): Submapper {
  const list: Submapper = parent.submapper({
    pathPrefix: options.pathPrefix ?? `/${collection}`,
    namePrefix: options.namePrefix ?? '',
    controller: options.controller ?? member,
    collectionName: collection,
    resourceName: member,
    requirements: options.requirements,
    formatted: options.formatted ?? true,
    actions: options.collectionActions ?? ['index', 'create', 'new'],
  })
  list.member = list.submapper({
    ...options.memberOptions,
    pathPrefix: options.memberPrefix ?? '/{id}',
    actions: options.memberActions ?? ['show', 'update', 'delete', 'edit'],
  })
  return list
}
