/** The tables of docs/security.md, and what they are compared with. */
import assert from 'node:assert/strict'

/** Returns the section of a page below a heading, up to the next heading of its level. */
function sectionBelow(text: string, heading: string): string[] {
  return (text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '').split('\n')
}

/** Returns the items of all lists of a section. */
export function linesBelow(text: string, heading: string): string[] {
  return sectionBelow(text, heading)
    .filter((line) => line.startsWith('- '))
    .map((line) => line.slice(2))
}

/** Returns the cells of all rows of tables of a section, without their heads. */
export function rowsBelow(text: string, heading: string): string[][] {
  return sectionBelow(text, heading)
    .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first]) => first !== 'limit' && first !== 'package')
}

/** Returns the string literals of a program, with an ellipsis for each interpolated value. */
export function literalsOf(program: string): Set<string> {
  const literals = program.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)
  return new Set([...literals].map(([, , literal = '']) => literal.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')))
}

const FACTOR = '(?:[\\d_]+|KIBIBYTE|MEBIBYTE)'

/** Returns the number that a source assigns to a constant, a property or an option. */
export function valueIn(source: string, name: string): number | undefined {
  const assigned = new RegExp(`(?<![#\\w])${name}\\b(?:: \\w+)? *(?:=|:|\\?\\?) *(${FACTOR}(?: *\\*\\*? *${FACTOR})*)`)
  const product = assigned.exec(source.replaceAll(/\/\*[\s\S]*?\*\//g, ''))?.[1]
  if (product === undefined) return undefined
  const numbers = product.replaceAll('KIBIBYTE', '1024').replaceAll('MEBIBYTE', '1048576').replaceAll('_', '')
  return numbers
    .split(/(?<!\*) *\* *(?!\*)/)
    .map((power) => power.split('**').map(Number))
    .reduce((all, [base = 1, exponent = 1]) => all * base ** exponent, 1)
}

/** Values of the units in the table: bytes and seconds. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  s: 1,
  days: 86_400,
}

/** Returns the value of a cell such as `16 KiB`, `60 s` or `10,000`. Undefined for `none`. */
export function amountOf(cell: string): number | undefined {
  if (cell === 'none') return undefined
  const [, number = '', unit = ''] = /^([\d,]+)(?: (\w+))?$/.exec(cell) ?? assert.fail(cell)
  return Number(number.replaceAll(',', '')) * (UNITS[unit] ?? assert.fail(cell))
}

/**
 * Constants that bound caches, messages, and work on what the developer has written. No option and no client depends on them.
 */
export const NO_LIMITS: readonly string[] = [
  'CHECKS_PER_TIMEOUT',
  'MAX_CACHED',
  'MAX_CACHED_LENGTH',
  'MAX_CACHED_NAME',
  'MAX_CACHED_ZONES',
  'MAX_CAUSES',
  'MAX_DELAY',
  'MAX_DEPTH of src/app/unavailable.ts',
  'MAX_DISTANCE',
  'MAX_FRAMES',
  'MAX_INT',
  'MAX_KEPT',
  'MAX_LINE_LENGTH',
  'MAX_LISTED',
  'MAX_LISTED_FILES',
  'MAX_MILLISECONDS',
  'MAX_NAMES',
  'MAX_NEAR_MISSES',
  'MAX_QUOTED_LENGTH',
  'MAX_REASON_LENGTH',
  'MAX_REFERENCE',
  'MAX_RENEWALS',
  'MAX_ROUTES',
  'MAX_STATUSES',
  'MAX_TEXT',
  'MAX_TEXT_DEPTH',
  'MIN_COMPRESSED_LENGTH',
  'MIN_LENGTH',
  'SHORT_TIMEOUT of src/base/sqlite/sqlite-dialect.ts',
]
