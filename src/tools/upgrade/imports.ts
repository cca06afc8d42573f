/**
 * Changes the imports of a module.
 *
 * @module
 */
import { parseModule } from '../check/parse.ts'
import { is, type Of, type SyntaxNode } from '../check/syntax.ts'
import { MOVED, REMOVED } from './changes.ts'

/** A place that a person must look at. */
export interface Place {
  readonly line: number
  readonly message: string
}

/** A module with its new imports. */
export interface Changed {
  readonly text: string
  /** The names that were moved, each with its entry. */
  readonly moved: readonly string[]
  readonly open: readonly Place[]
}

type Declaration = Of<'ImportDeclaration'> | Of<'ExportNamedDeclaration'>

/** A replacement of a part of the text. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The longest line of imports that is not divided. */
const LINE = 110

/**
 * Returns the text of a module in which moved names are imported from their new entries.
 *
 * @throws SyntaxError - the text cannot be parsed.
 */
export function withMovedImports(path: string, text: string): Changed {
  const edits: Edit[] = []
  const moved: string[] = []
  const open: Place[] = []
  for (const statement of parseModule(path, text).body) {
    if (!is(statement, 'ImportDeclaration', 'ExportNamedDeclaration')) continue
    const entry = statement.source?.value
    if (typeof entry !== 'string' || !/^propylon(?:\/|$)/.test(entry)) continue
    const { line } = statement.loc.start
    for (const specifier of statement.specifiers) {
      const name = nameOf(specifier)
      if (name === undefined) {
        if (entry === 'propylon') open.push({ line, message: namespaceMessage(text, specifier) })
      } else if (REMOVED.get(entry)?.has(name) === true) {
        open.push({ line: specifier.loc.start.line, message: `${entry} does not export ${name}.` })
      }
    }
    if (entry !== 'propylon') continue
    const edit = dividedByEntry(text, statement, moved)
    if (edit === undefined) continue
    if (/\/[/*]/.test(text.slice(statement.start, statement.end))) {
      open.push({ line, message: `This statement has a comment. Change it to: ${edit.text}` })
    } else edits.push(edit)
  }
  return { text: withEdits(text, edits), moved, open: open.filter(({ message }) => message !== '') }
}

/** Returns the declaration as one for each entry, or undefined if nothing has moved. Adds the names to `moved`. */
function dividedByEntry(text: string, statement: Declaration, moved: string[]): Edit | undefined {
  const { start, end, specifiers, source } = statement
  const byEntry = new Map<string, string[]>([['propylon', []]])
  let hasMoved = false
  for (const specifier of specifiers) {
    const name = nameOf(specifier) ?? ''
    const place = MOVED.get(name)
    const written = text.slice(specifier.start, specifier.end)
    const entry = place?.entry ?? 'propylon'
    const list = byEntry.get(entry) ?? []
    byEntry.set(entry, list)
    list.push(place === undefined || place.name === name ? written : renamed(written, name, place.name))
    if (place === undefined) continue
    hasMoved = true
    moved.push(`${name} from ${entry}`)
  }
  if (!hasMoved || source === null) return undefined
  const keyword = text.slice(start, text.indexOf('{', start)).trim()
  const quote = text.charAt(source.start)
  const semicolon = text.charAt(end - 1) === ';' ? ';' : ''
  const lines = [...byEntry]
    .filter(([, names]) => names.length > 0)
    .map(([entry, names]) => `${keyword} ${braced(names)} from ${quote}${entry}${quote}${semicolon}`)
  return { start, end, text: lines.join('\n') }
}

function braced(names: readonly string[]): string {
  const line = `{ ${names.join(', ')} }`
  return line.length < LINE ? line : `{\n${names.map((name) => `  ${name},\n`).join('')}}`
}

/** Returns a specifier that imports another name and keeps the local one. */
function renamed(written: string, name: string, to: string): string {
  const local = / as /.test(written) ? '' : ` as ${name}`
  return `${written.replace(new RegExp(`\\b${name}\\b`), to)}${local}`
}

/** Returns the name in the entry, or undefined if the specifier is a default or a namespace. */
function nameOf(specifier: SyntaxNode): string | undefined {
  const name = is(specifier, 'ImportSpecifier')
    ? specifier.imported
    : is(specifier, 'ExportSpecifier')
      ? specifier.local
      : undefined
  return is(name, 'Identifier') ? name.name : undefined
}

/** Returns a message if moved names are read from a namespace, and otherwise nothing. */
function namespaceMessage(text: string, specifier: SyntaxNode): string {
  if (!is(specifier, 'ImportNamespaceSpecifier')) return ''
  const { name } = specifier.local
  const used = [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, member = '']) => member)
  return [...new Set(used)]
    .flatMap((member) => {
      const place = MOVED.get(member)
      return place === undefined ? [] : [`Import ${place.name} from ${place.entry}.`]
    })
    .join(' ')
}

function withEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toReversed()
    .reduce((so, { start, end, text: to }) => so.slice(0, start) + to + so.slice(end), text)
}
