import { oneLine } from '../../base/command-line/command-errors.ts'
import { type Cell, columns, type Line, styled } from '../../base/command-line/terminal.ts'
import { isRecord } from '../../base/record.ts'
import { Binary, DateTime, Double } from '../xmlrpc/index.ts'

/** Output format of a result. */
export type Output = 'json' | 'table'

/** Formats the result of a call. */
export function resultLines(result: unknown, output: Output): Line[] {
  const json = jsonText(result, 2)
  return output === 'json' ? [json] : table(JSON.parse(json))
}

/** Returns true for an array of structs, which is easier to read as a table. */
export function isTable(result: unknown): boolean {
  return Array.isArray(result) && result.length > 0 && result.every(isStruct)
}

/**
 * Returns a result as JSON. An integer beyond the safe integers, a number that is not finite, a date and bytes become text:
 * its digits, `NaN` or `Infinity`, the date as it was sent, and base64.
 */
export function jsonText(result: unknown, indent?: number): string {
  return JSON.stringify(
    result ?? null,
    (_name, value: unknown) => {
      if (typeof value === 'bigint')
        return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
      return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
    },
    indent,
  )
}

function isStruct(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !(value instanceof DateTime || value instanceof Binary || value instanceof Double)
}

/** An array of structs is a row for each, a struct a row for each member, an array a line for each value. */
function table(value: unknown): Line[] {
  if (isTable(value)) {
    const rows = value as Record<string, unknown>[]
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const heading = names.map((name) => styled('bold', oneLine(name)))
    return columns([heading, ...rows.map((row) => names.map((name) => cell(row[name])))])
  }
  if (isRecord(value)) {
    return columns(
      Object.entries(value).map(([name, member]): Cell[] => [styled('bold', oneLine(name)), cell(member)]),
    )
  }
  return Array.isArray(value) ? value.map(cell) : [cell(value)]
}

function cell(value: unknown): string {
  if (value === undefined) return ''
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}
