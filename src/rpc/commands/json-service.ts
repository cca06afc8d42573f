/**
 * Services that are called by plain JSON, for `propylon rpc`.
 *
 * @module
 */

import { isRecord } from '../../base/record.ts'
import { writeNames, writeServiceTypes } from '../service-types/generate.ts'
import type { ServiceDocument } from '../service-types/service-document.ts'
import { readServiceDocument } from '../service-types/service-document.ts'
import { parseNamedArguments } from './argument-values.ts'
import type { ConnectionOptions } from './connection.ts'
import { fetchDocument, post, withoutUser } from './http.ts'
import { documentation, isUnreachable, type Service, ServiceError } from './service.ts'

/**
 * Returns a service that is called by POST of a JSON object to `URL/METHOD`: the face `json` of RPCController, JSON-2 of Odoo.
 *
 * @param known - OpenAPI document of the service. Default: `openapi.json` below its URL.
 */
export function jsonService(
  url: string,
  options: ConnectionOptions,
  cwd: string,
  known?: ServiceDocument | null,
): Service {
  const described = async () => known ?? fetchDescription(documentUrl(url), options)

  /** Returns the names of the parameters, for arguments without names; none if there is no document. */
  const namesOf = async (methodName: string): Promise<string[]> => {
    try {
      const { procedures } = await described()
      return procedures.find(({ name }) => name === methodName)?.parameters.map(({ name }) => name) ?? []
    } catch (error) {
      if (isUnreachable(error) || !(error instanceof ServiceError)) throw error
      return []
    }
  }

  return {
    list: async () => (await described()).procedures.map(({ name }) => name),
    help: async (methodName) => documentation(await described(), methodName),
    async call(methodName, words) {
      const isNamed = words.every((word) => /^[A-Za-z_][\w.-]*=/.test(word))
      const body = await parseNamedArguments(words, cwd, isNamed ? [] : await namesOf(methodName))
      const { status, value } = await post(below(url, methodName), body, options)
      if (status >= 200 && status < 300) return value
      throw new ServiceError(`error ${status}: ${problemText(value)}`)
    },
    async types({ methods, only }) {
      const source = { source: withoutUser(url), only }
      if (methods.length === 0) return writeServiceTypes(await described(), source)
      return writeNames(
        methods.filter((name) => name.startsWith(only)),
        source,
      )
    },
  }
}

/**
 * Fetches the description of a service.
 *
 * @throws ServiceError - the server cannot be reached, or the document describes no service.
 */
export async function fetchDescription(url: string, options: ConnectionOptions): Promise<ServiceDocument> {
  const source = await fetchDocument(url, options)
  try {
    return readServiceDocument(source)
  } catch (error) {
    if (error instanceof TypeError) throw new ServiceError(`${withoutUser(url)}: ${error.message}`)
    throw error
  }
}

/** Returns the URL of the OpenAPI document of a service. */
export function documentUrl(url: string): string {
  return below(url, 'openapi.json')
}

/** Returns the URL of a path below a service. */
function below(url: string, path: string): string {
  const target = new URL(url)
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const { protocol, host, pathname } = target
  // A colon divides the socket from the path: unix:/run/app.sock:/path.
  const isSocketOnly = /^(?:unix|scgi):$/.test(protocol) && host === '' && !pathname.includes(':')
  target.pathname = `${pathname.replace(/\/$/, '')}${isSocketOnly ? ':' : ''}/${encoded}`
  return target.href
}

/** Returns the text of a problem document (RFC 9457), or of an error of another server. */
function problemText(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value)
  const texts = [value.detail, value.message, value.title].filter((each) => typeof each === 'string')
  const text = texts[0] ?? JSON.stringify(value)
  const errors = Array.isArray(value.errors) ? value.errors.filter(isRecord) : []
  const details = errors.map(({ name, detail }) => `${String(name)}: ${String(detail)}`)
  return [text, ...details.filter((detail) => !text.includes(detail))].join('; ')
}
