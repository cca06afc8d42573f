/**
 * The routes as a table: as data, and as text in columns.
 *
 * @module
 */

import type { Route } from './route.ts'

/** One line of the table. */
export interface TableRow {
  readonly name: string | null
  /** Null for any method. */
  readonly methods: readonly string[] | null
  readonly path: string
  /** The fixed controller; null where the path or nothing names it. */
  readonly controller: string | null
  readonly action: string | null
  /** Where a redirect route leads. */
  readonly redirect: string | null
  /** `file:line:column`, where known. */
  readonly definedAt: string | null
}

/** Which lines are wanted: text that occurs anywhere, or parts that each must hold. */
export type TableFilter =
  | string
  | {
      readonly name?: string | undefined
      readonly method?: string | undefined
      readonly path?: string | undefined
      readonly controller?: string | undefined
      readonly action?: string | undefined
    }

/** The routes that match, one line each, in order. */
export function tableOf(routes: readonly Route[], filter: TableFilter = ''): TableRow[] {
  return routes
    .filter((route) => !route.static)
    .map((route) => ({
      name: route.name,
      methods: route.methods,
      path: route.path,
      controller: route.defaults.controller ?? null,
      action: route.defaults.action ?? null,
      redirect: route.redirect?.pattern.template ?? null,
      definedAt: route.definedAt ?? null,
    }))
    .filter((row) => isWanted(row, filter))
}

function isWanted(row: TableRow, filter: TableFilter): boolean {
  if (typeof filter === 'string') {
    const wanted = filter.toLowerCase()
    return [row.name, row.path, row.controller, row.action, ...(row.methods ?? [])].some((text) =>
      (text ?? '').toLowerCase().includes(wanted),
    )
  }
  const { name, method, path, controller, action } = filter
  return (
    (name === undefined || (row.name ?? '').includes(name)) &&
    (path === undefined || row.path.includes(path)) &&
    (controller === undefined || row.controller === controller) &&
    (action === undefined || row.action === action) &&
    (method === undefined || row.methods === null || row.methods.includes(method.toUpperCase()))
  )
}

const HEADER = ['Route name', 'Methods', 'Path', 'Controller', 'action']

/** The table in columns, as wide as they must be. */
export function formatTable(rows: readonly TableRow[]): string {
  const lines = [
    HEADER,
    ...rows.map((row) => [
      row.name ?? '',
      row.methods?.join(',') ?? '',
      row.path,
      row.redirect === null ? (row.controller ?? '') : `→ ${row.redirect}`,
      row.action ?? '',
    ]),
  ]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
