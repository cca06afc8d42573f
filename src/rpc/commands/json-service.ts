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
import { documentation, type Selection, type Service, ServiceError } from './service.ts'

/** A service that is called by POST of a JSON object to `URL/METHOD`: the face `json` of RPCController, JSON-2 of Odoo. */
export class JSONService implements Service {
  readonly #url: string
  readonly #options: ConnectionOptions
  readonly #cwd: string
  readonly #document: ServiceDocument | null | undefined

  /**
   * @param document - OpenAPI document of the service. Default: `openapi.json` below its URL.
   */
  constructor(url: string, options: ConnectionOptions, cwd: string, document?: ServiceDocument | null) {
    this.#url = url
    this.#options = options
    this.#cwd = cwd
    this.#document = document
  }

  async list(): Promise<readonly string[]> {
    return (await this.#described()).procedures.map(({ name }) => name)
  }

  async help(methodName: string): Promise<string> {
    return documentation(await this.#described(), methodName)
  }

  async call(methodName: string, words: readonly string[]): Promise<unknown> {
    const isNamed = words.every((word) => /^[A-Za-z_][\w.-]*=/.test(word))
    const names = isNamed ? [] : await this.#namesOf(methodName)
    const body = await parseNamedArguments(words, this.#cwd, names)
    const path = methodName.split('/').map(encodeURIComponent).join('/')
    const url = new URL(this.#url)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`
    const { status, value } = await post(url.href, body, this.#options)
    if (status >= 200 && status < 300) return value
    throw new ServiceError(`error ${status}: ${problemText(value)}`)
  }

  async types({ methods, only }: Selection): Promise<string> {
    const options = { source: withoutUser(this.#url), only }
    if (methods.length === 0) return writeServiceTypes(await this.#described(), options)
    return writeNames(
      methods.filter((name) => name.startsWith(only)),
      options,
    )
  }

  async #described(): Promise<ServiceDocument> {
    if (this.#document) return this.#document
    return readServiceDocument(await fetchDocument(documentUrl(this.#url), this.#options))
  }

  /** Returns the names of the parameters, for arguments without names; none if there is no document. */
  async #namesOf(methodName: string): Promise<string[]> {
    try {
      const { procedures } = await this.#described()
      return procedures.find(({ name }) => name === methodName)?.parameters.map(({ name }) => name) ?? []
    } catch (error) {
      if (error instanceof ServiceError || error instanceof TypeError) return []
      throw error
    }
  }
}

/** Returns the URL of the OpenAPI document of a service. */
export function documentUrl(url: string): string {
  const document = new URL(url)
  document.pathname = `${document.pathname.replace(/\/$/, '')}/openapi.json`
  return document.href
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
