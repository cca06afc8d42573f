import type { AliasNode, IdentifierNode, KyselyPlugin, RawNode, SelectQueryNode } from 'kysely'

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
 * Returns the number of rows of a query by `select count(*) from (QUERY)`, which counts groups and distinct rows as well.
 * A plugin replaces the query, because a builder does not give access to its database.
 */
export async function countRows(query: PageableQuery<unknown>): Promise<number> {
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
      selections: [
        { kind: 'SelectionNode', selection: { kind: 'AliasNode', node: count, alias: name('total') } },
      ],
    }
  },
  transformResult: async ({ result }) => result,
}

const count: RawNode = { kind: 'RawNode', sqlFragments: ['count(*)'], parameters: [] }

function name(text: string): IdentifierNode {
  return { kind: 'IdentifierNode', name: text }
}
