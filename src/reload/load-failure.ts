/** Why a module of the project does not load, and where: Node does not always say it. */
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Options, parse } from 'acorn'
import type { LoadFailure } from '../app/error-pages/load-failure-page.ts'
import { linesOf, type Place } from '../app/error-pages/source.ts'
import { withoutImportHint } from '../app/import-hint.ts'
import { errorMessage, isInstance, toError } from '../wsgi/thrown.ts'
import { withoutLabels } from './generations.ts'

/**
 * Reads an error of `import()`.
 *
 * @param root - the path of the project's folder, for an error that was thrown while a module ran.
 * @param candidates - the paths of the modules of which one failed.
 */
export function loadFailure(thrown: unknown, root: string, candidates: () => readonly string[]): LoadFailure {
  if (!isInstance(thrown, Error))
    return { reason: `a module threw ${errorMessage(thrown)}`, place: undefined }
  const error = toError(thrown)
  const stack = withoutLabels(error.stack ?? '')
  const fault = headOf(stack) ?? missingImport(error)
  if (fault !== undefined) return { reason: withoutLabels(error.message), place: fault }
  if (error instanceof SyntaxError) {
    for (const path of candidates()) {
      const found = syntaxFault(path)
      if (found !== undefined) return found
    }
  }
  return { reason: withoutLabels(error.message) || error.name, place: frameIn(stack, root) }
}

/** Compilers put the place, the line and a caret before the error. */
function headOf(stack: string): Place | undefined {
  const head = /^(file:\/\/\S+|\/[^\n]*|[A-Za-z]:\\[^\n]*):(\d+)\n[\s\S]*?\n\S*Error\b/.exec(stack)
  if (head === null) return undefined
  const caret = /^( *)\^/m.exec(head[0])
  return placeAt(head[1], head[2], caret?.[1] === undefined ? undefined : String(caret[1].length + 1))
}

/** The first frame of a stack that lies in the project. */
function frameIn(stack: string, root: string): Place | undefined {
  for (const [, url, line, column] of stack.matchAll(/(file:\/\/\S+?):(\d+):(\d+)/g)) {
    const place = placeAt(url, line, column)
    if (place?.path.startsWith(root) && !place.path.includes('/node_modules/')) return place
  }
  return undefined
}

function placeAt(file: string | undefined, line: string | undefined, column: string | undefined) {
  if (file === undefined) return undefined
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  return { path, line: Number(line), column: column === undefined ? undefined : Number(column) }
}

/** The line of an import that leads nowhere. */
function missingImport(error: Error): Place | undefined {
  const told = /^Cannot find (?:module|package) '(.+?)' imported from (.+)$/m.exec(
    withoutImportHint(error.message),
  )
  if (told?.[1] === undefined || told[2] === undefined) return undefined
  const importer = told[2].startsWith('file:') ? fileURLToPath(told[2]) : told[2]
  for (const [index, line] of linesOf(importer).entries()) {
    for (const quoted of line.matchAll(/(['"])(.+?)\1/g)) {
      if (!leadsTo(quoted[2] ?? '', importer, told[1])) continue
      return { path: importer, line: index + 1, column: quoted.index + 2 }
    }
  }
  return { path: importer, line: 1, column: undefined }
}

function leadsTo(specifier: string, importer: string, missing: string): boolean {
  if (specifier === missing || specifier.startsWith(`${missing}/`)) return true
  const base = pathToFileURL(importer)
  return specifier.startsWith('.') && new URL(specifier, base).href === pathToFileURL(missing).href
}

const MODULE: Options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }

/** What a parser finds wrong with a module, where the engine that refused it did not tell. */
function syntaxFault(path: string): LoadFailure | undefined {
  const text = linesOf(path).join('\n')
  try {
    parse(/\.[cm]?ts$/.test(path) ? module.stripTypeScriptTypes(text) : text, MODULE)
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const loc: unknown = 'loc' in error ? error.loc : undefined
    if (typeof loc !== 'object' || loc === null || !('line' in loc) || !('column' in loc)) return undefined
    const place = { path, line: Number(loc.line), column: Number(loc.column) + 1 }
    return { reason: error.message.replace(/ \(\d+:\d+\)$/, ''), place }
  }
}
