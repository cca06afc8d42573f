/**
 * Modules that do not load: the reason, the place, and the page about it.
 *
 * @module
 */

import module from 'node:module'
import { pathToFileURL } from 'node:url'
import { type Options, parse } from 'acorn'
import { DEV_HEADERS, devResponse, html, section, sourceBlock } from '../../app/error-pages/dev-page.ts'
import {
  excerptAt,
  filePath,
  framesOf,
  linesOf,
  type Place,
  placeText,
  statedPlace,
} from '../../app/error-pages/source.ts'
import { withoutImportHint } from '../../app/import-hint.ts'
import type { ControllerLoadError } from '../../app/loading-errors.ts'
import { shownPlaces } from '../../base/place.ts'
import { isRecord } from '../../base/record.ts'
import { errorMessage, isInstance, memberOf, toError } from '../../base/thrown.ts'
import { errorMediaTypeFor } from '../../http/formats.ts'
import { HTTPException } from '../../http/http-exception.ts'
import type { Environ, WSGIApplication } from '../../wsgi/types.ts'

/** The reason why a module does not load, and its place. */
export interface LoadFailure {
  readonly reason: string
  /** Undefined if unknown. */
  readonly place: Place | undefined
}

/** The entry does not load, so that no request can be served. The failure has been logged. */
export class EntryLoadError extends Error {
  override readonly name = 'EntryLoadError'
  readonly failure: LoadFailure

  constructor(failure: LoadFailure) {
    super(failure.reason)
    this.failure = failure
  }
}

/** Returns true for the error of a controller that does not load, also of another copy of this package. */
export function isControllerLoadError(error: unknown): error is ControllerLoadError {
  return isInstance(error, Error) && memberOf(error, 'code') === 'CONTROLLER_LOAD'
}

/**
 * Finds the reason and the place in an error of `import()`, which does not always name them.
 *
 * @param root - path of the project's folder, for an error that was thrown while a module ran.
 * @param candidates - returns the paths of the modules that may have failed.
 */
export function loadFailure(thrown: unknown, root: string, candidates: () => readonly string[]): LoadFailure {
  if (!isInstance(thrown, Error)) return { reason: `a module threw ${errorMessage(thrown)}`, place: undefined }
  const error = toError(thrown)
  const fault = statedPlace(error.stack) ?? missingImport(error)
  if (fault !== undefined) return { reason: hinted(shownPlaces(error.message, root)), place: fault }
  if (error instanceof SyntaxError) {
    for (const path of candidates()) {
      const found = syntaxFault(path)
      if (found !== undefined) return found
    }
  }
  return { reason: shownPlaces(error.message, root) || error.name, place: placeIn(root, error) }
}

/** Returns the place of the first frame in the project. */
function placeIn(root: string, error: Error): Place | undefined {
  return framesOf(error).find(({ owner, place }) => owner === 'application' && place.path.startsWith(root))?.place
}

/** Returns the place of an import whose module does not exist. */
function missingImport(error: Error): Place | undefined {
  const found = /^Cannot find (?:module|package) '(.+?)' imported from (.+)$/m.exec(withoutImportHint(error.message))
  if (found?.[1] === undefined || found[2] === undefined) return undefined
  const importer = filePath(found[2]) ?? found[2]
  for (const [index, line] of linesOf(importer).entries()) {
    for (const literal of line.matchAll(/(['"])(.+?)\1/g)) {
      if (!resolvesTo(literal[2] ?? '', importer, found[1])) continue
      return { path: importer, line: index + 1, column: literal.index + 2 }
    }
  }
  return { path: importer, line: 1, column: undefined }
}

function resolvesTo(specifier: string, importer: string, missing: string): boolean {
  if (specifier === missing || specifier.startsWith(`${missing}/`)) return true
  const base = pathToFileURL(importer)
  return specifier.startsWith('.') && new URL(specifier, base).href === pathToFileURL(missing).href
}

const MODULE: Options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }

/** Parses a module for its syntax error. The engine's error of a module without its own compiler has no place. */
function syntaxFault(path: string): LoadFailure | undefined {
  const text = linesOf(path).join('\n')
  try {
    parse(/\.[cm]?ts$/.test(path) ? module.stripTypeScriptTypes(text) : text, MODULE)
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const loc: unknown = 'loc' in error ? error.loc : undefined
    if (!isRecord(loc)) return undefined
    const place = { path, line: Number(loc.line), column: Number(loc.column) + 1 }
    return { reason: hinted(error.message.replace(/ \(\d+:\d+\)$/, '')), place }
  }
}

/** Adds to a reason what to write instead of syntax that Node does not run. */
function hinted(reason: string): string {
  if (reason.startsWith("Unexpected character '@'"))
    return `${reason}. Node does not run decorator syntax: apply decorators by decorate() in a static block`
  if (reason.endsWith('is not supported in strip-only mode'))
    return `${reason}. Node only removes types: write an object with "as const" for an enum, a field for a parameter property, a module for a namespace`
  return reason
}

/** Returns the failure as one line: `controllers/users.ts:3:7: Unexpected token`. */
export function failureLine({ reason, place }: LoadFailure, root: string): string {
  return place === undefined ? reason : `${placeText(place, root)}: ${reason}`
}

/** Creates the page for a failure: HTML for browsers, otherwise an error of the application. */
export function failurePage(failure: LoadFailure, root: string, environ: Environ): WSGIApplication {
  const { place, reason } = failure
  const excerpt = place === undefined ? '' : excerptAt(place)
  if (errorMediaTypeFor(environ) !== 'text/html') {
    return new HTTPException(500, `${failureLine(failure, root)}\n\n${excerpt}`, DEV_HEADERS).wsgi
  }
  return devResponse({
    status: 500,
    heading: `${place === undefined ? 'A module' : placeText(place, root)} does not load`,
    sections: [
      html`<pre class="text">${reason}</pre>`,
      excerpt === '' ? undefined : section('Source', sourceBlock(excerpt)),
      html`<p>Requests that do not need this module are still served. Correct the file and save it: the next request loads it again.</p>`,
    ],
  }).wsgi
}
