/**
 * Reads the OpenAPI document that a client is generated from.
 *
 * @module
 */

import { resolve } from 'node:path'
import { CommandError, oneLine, quoted } from '../../base/command-line/command-errors.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import { errorMessage } from '../../base/thrown.ts'
import { causeText } from '../../rpc/transport/causes.ts'
import { endpointOf } from '../../rpc/transport/transport.ts'
import { toFetch } from '../../wsgi/fetch/to-fetch.ts'
import type { WSGICallable } from '../../wsgi/types.ts'
import { readNamedFile } from './named-files.ts'

/** Path at which an application serves its document. */
const DOCUMENT_PATH = '/openapi.json'

/** An application that may make its document itself. */
type DocumentedApplication = WSGICallable & { openapi?(): Promise<object | undefined> }

/**
 * Returns the OpenAPI document of an application: its own one, or the one that it serves at `/openapi.json`.
 *
 * @throws CommandError - the application has none.
 */
export async function documentOf(app: DocumentedApplication): Promise<unknown> {
  const made = await app.openapi?.()
  if (made !== undefined) return made
  const request = new Request(`http://localhost${DOCUMENT_PATH}`, { headers: { accept: 'application/json' } })
  const response = await toFetch(app)(request)
  const text = await response.text()
  if (response.status !== 200) {
    throw new CommandError(
      `The application has no OpenAPI document: ${DOCUMENT_PATH} was answered with status ${response.status}. Add the option openapi: { title, version } to FrameworkApp.`,
    )
  }
  return parsed(text, DOCUMENT_PATH)
}

/** Returns a source for messages and files: a URL without user and password, or the path of a file. */
export function sourceName(source: string): string {
  return isUrl(source) ? endpointOf(source).url : source
}

/**
 * Reads a document from a URL or a file, in JSON or YAML.
 *
 * @throws UsageError - there is no such file.
 * @throws CommandError - the URL has no document, or the text is none.
 */
export async function readDocument(source: string, cwd: string): Promise<unknown> {
  if (isUrl(source)) return parsed(await textAt(source), sourceName(source))
  const noun = `the OpenAPI document ${quoted(source)}`
  const fix = 'write the path of a file, or a URL with http:// or https://'
  return parsed(readNamedFile(resolve(cwd, source), noun, fix), source)
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** Time limit of the request of a document, in milliseconds. */
const TIMEOUT = 60_000

async function textAt(source: string): Promise<string> {
  const { url, authorization } = endpointOf(source)
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) }
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT) })
    if (!response.ok) throw new CommandError(`${url}: the HTTP status is ${response.status}`)
    return await response.text()
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(oneLine(`${url}: the connection failed: ${causeText(error)}`))
  }
}

function parsed(written: string, name: string): unknown {
  const text = written.replace(/^\uFEFF/, '').trimStart()
  try {
    if (/^[[{]/.test(text)) return JSON.parse(text)
    if (!text.startsWith('<')) return fromYAML(text)
  } catch (error) {
    throw new CommandError(oneLine(`${name} cannot be read: ${errorMessage(error)}`))
  }
  throw new CommandError(oneLine(`${name} is no OpenAPI document. It begins with ${quoted(text)}.`))
}

function fromYAML(text: string): unknown {
  // As JSON, so that dates and cycles of YAML cannot be in the document.
  return JSON.parse(JSON.stringify(optionalPackage('yaml', 'A document in YAML').parse(text)) ?? 'null')
}
