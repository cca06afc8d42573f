import type { AliasNode, IdentifierNode, KyselyPlugin, RawNode, SelectQueryNode } from 'kysely'
import { describeValue } from '../../base/describe.ts'
import { pathAndQueryOf } from '../../wsgi/request-url.ts'
import { worded } from '../error-texts.ts'
import { HTTPNotFound } from '../exceptions.ts'
import { ENVIRON, type Response } from '../response.ts'

/** Options of {@link paginate}. */
export interface PageOptions {
  /** Number of the page, from 1. */
  readonly page: number
  /** Number of items on a page. It is clamped to 1 to 1,000. */
  readonly size: number
  /**
   * `this.response` of a controller, to which `Link` fields with the neighbouring pages are added (RFC 8288). Their
   * URL is the path of the request with its query, in which the field `page` is replaced.
   */
  readonly response?: Response | undefined
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: Item[]
  /** Number of this page, from 1. */
  readonly page: number
  /** Number of pages, at least 1. */
  readonly pages: number
  /** Number of items of the whole list. */
  readonly total: number
  /** Number of the next page, or null. */
  readonly next: number | null
  /** Number of the previous page, or null. */
  readonly previous: number | null
}

/** Options of {@link paginate} for a part of a list. */
export interface PartOptions {
  /** Number of items before the part. */
  readonly offset: number
  /** Number of items of the part. It is clamped to 1 to 1,000. */
  readonly limit: number
  /** As {@link PageOptions.response}, with the field `offset`. */
  readonly response?: Response | undefined
}

/** A part of a list. */
export interface Part<Item> {
  readonly items: Item[]
  readonly offset: number
  readonly limit: number
  /** Number of items of the whole list. */
  readonly total: number
  /** Offset of the next part, or null. */
  readonly next: number | null
  /** Offset of the previous part, or null. */
  readonly previous: number | null
}

/** Maximum number of items on a page. */
const MAX_SIZE = 1000

/**
 * Returns one page of a list. The first page of an empty list is empty. With `{ offset, limit }` it returns a part of
 * the list, which is empty beyond the end.
 *
 * A query is counted and then read from the database, so it needs an order that has no ties, for instance by a unique
 * column: otherwise the database may return a row on two pages, or on none. Its own limit and offset are replaced.
 *
 * @see docs/reference/paginate.md
 * @param query - a select query of Kysely (SQLite, PostgreSQL, MySQL 8), or an array.
 * @throws HTTPNotFound, as a rejection - `page` is not an integer above 0, or is beyond the last page; `offset` or
 *   `limit` is negative or fractional.
 * @throws TypeError, as a rejection - `query` is neither, or `response` does not belong to a controller.
 *
 * @see docs/guides/templates.md
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { int, optional } from 'propylon/converters'
 * import { paginate } from 'propylon/paginate'
 *
 * const words = ['gate', 'pillar', 'step', 'temple']
 *
 * export class WordsController extends WSGIController {
 *   static args = { index: { page: optional(int, 1) } }
 *
 *   index(page: number) {
 *     return paginate(words, { page, size: 3, response: this.response })
 *   }
 * }
 * ```
 */
export function paginate<Item>(query: PageableQuery<Item> | readonly Item[], options: PageOptions): Promise<Page<Item>>
export function paginate<Item>(query: PageableQuery<Item> | readonly Item[], options: PartOptions): Promise<Part<Item>>
export async function paginate<Item>(
  query: PageableQuery<Item> | readonly Item[],
  options: PageOptions | PartOptions,
): Promise<Page<Item> | Part<Item>> {
  const list = listOf(query)
  return 'offset' in options ? partOf(list, options) : pageOf(list, options)
}

async function partOf<Item>(list: List<Item>, { offset, limit, response }: PartOptions): Promise<Part<Item>> {
  const isWhole = (value: number) => value >= 0 && Math.trunc(value) === value
  if (!Number.isSafeInteger(offset) || !isWhole(offset) || !isWhole(limit)) {
    throw new HTTPNotFound('Offset and limit are whole numbers.')
  }
  const length = Math.min(MAX_SIZE, Math.max(1, limit))
  const total = await list.count()
  const items = offset < total ? await list.read(offset, length) : []
  const next = offset + length < total ? offset + length : null
  const previous = offset > 0 ? Math.max(0, Math.min(offset, total) - length) : null
  if (response !== undefined) addLinks(response, 'offset', { prev: previous, next })
  return { items, offset, limit: length, total, next, previous }
}

async function pageOf<Item>(list: List<Item>, { page, size, response }: PageOptions): Promise<Page<Item>> {
  if (!Number.isSafeInteger(page) || page < 1) throw worded(HTTPNotFound, 'propylon.page.first')
  const length = Math.min(MAX_SIZE, Math.max(1, Math.trunc(size) || 1))
  const total = await list.count()
  const pages = Math.max(1, Math.ceil(total / length))
  if (page > pages) throw worded(HTTPNotFound, 'propylon.page.last', { pages })
  const items = total === 0 ? [] : await list.read((page - 1) * length, length)
  const next = page < pages ? page + 1 : null
  const previous = page > 1 ? page - 1 : null
  if (response !== undefined) addLinks(response, 'page', { prev: previous, next })
  return { items, page, pages, total, next, previous }
}

/** A list that is counted and read in parts. */
interface List<Item> {
  count(): number | Promise<number>
  read(offset: number, length: number): Item[] | Promise<Item[]>
}

function listOf<Item>(query: PageableQuery<Item> | readonly Item[]): List<Item> {
  if ('withPlugin' in query) {
    const all = query.clearLimit().clearOffset()
    return {
      count: () => countRows(all.clearOrderBy()),
      read: (offset, length) => all.limit(length).offset(offset).execute(),
    }
  }
  if (Array.isArray(query)) {
    return { count: () => query.length, read: (offset, length) => query.slice(offset, offset + length) }
  }
  throw new TypeError(
    `paginate() got ${describeValue(query)}. Pass a select query of Kysely before execute(), or an array.`,
  )
}

function addLinks(
  response: Response,
  field: 'offset' | 'page',
  neighbours: Readonly<Record<string, number | null>>,
): void {
  const environ = response[ENVIRON]
  if (environ === undefined) {
    throw new TypeError('The response of paginate() belongs to no request. Pass this.response of a controller.')
  }
  const [path = '', query] = pathAndQueryOf(environ).split(/\?(.*)/s)
  for (const [rel, place] of Object.entries(neighbours)) {
    if (place === null) continue
    const fields = new URLSearchParams(query)
    fields.set(field, String(place))
    response.headers.append('Link', `<${path}?${fields}>; rel="${rel}"`)
  }
}

/** The members of a select query of Kysely that are used. */
export interface PageableQuery<Row> {
  clearLimit(): PageableQuery<Row>
  clearOffset(): PageableQuery<Row>
  clearOrderBy(): PageableQuery<Row>
  limit(count: number): PageableQuery<Row>
  offset(count: number): PageableQuery<Row>
  withPlugin(plugin: never): PageableQuery<Row>
  execute(): Promise<Row[]>
}

/** The method of a query that takes a plugin. */
interface Pluggable {
  withPlugin(plugin: KyselyPlugin): { execute(): Promise<unknown[]> }
}

/**
 * Returns the number of rows of a query by `select count(*) from (QUERY)`, which counts groups and distinct rows as
 * well. A plugin replaces the query, because a builder does not give access to its database.
 */
async function countRows(query: PageableQuery<unknown>): Promise<number> {
  const counting: Pluggable = query
  const [row] = await counting.withPlugin(COUNT).execute()
  // Another plugin may have changed the name of the column. Drivers return a number, a bigint or text.
  return Number(Object.values(row ?? {})[0])
}

const COUNT: KyselyPlugin = {
  transformQuery({ node }): SelectQueryNode {
    const rows: AliasNode = { kind: 'AliasNode', node, alias: name('rows_of_query') }
    return {
      kind: 'SelectQueryNode',
      from: { kind: 'FromNode', froms: [rows] },
      selections: [{ kind: 'SelectionNode', selection: { kind: 'AliasNode', node: count, alias: name('total') } }],
    }
  },
  transformResult: async ({ result }) => result,
}

const count: RawNode = { kind: 'RawNode', sqlFragments: ['count(*)'], parameters: [] }

function name(text: string): IdentifierNode {
  return { kind: 'IdentifierNode', name: text }
}
