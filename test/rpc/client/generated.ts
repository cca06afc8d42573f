import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clientText } from '../../../src/tools/cli/client-file.ts'
import { temporaryFolder } from '../../tools/cli/command-line.ts'

/** Members of the generated clients that tests call without types. */
export interface AnyClient {
  createClient(options: {
    readonly baseUrl: string
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  }): Record<string, (args?: object) => Promise<unknown>>
}

/** Returns an OpenAPI document with some paths. */
export function documentOf(paths: object, components: object = {}): object {
  return { openapi: '3.1.1', info: { title: 'Test', version: '1' }, paths, components }
}

/** Returns the path of the client of a document. */
export function generate(document: unknown): string {
  const path = join(temporaryFolder(), 'client.ts')
  writeFileSync(path, clientText(document, 'api.json'))
  return path
}

/** Returns what is generated for a document: the interface of the client, its calls, and the types of its schemas. */
export function partsOf(document: unknown) {
  const text = readFileSync(generate(document), 'utf8')
  const [head = ''] = text.split('\n// The rest is')
  const [members = '', calls = '', ...types] = head.split(/^\}$/m)
  return {
    members: members.slice(members.indexOf('{\n') + 2),
    calls: calls.slice(calls.indexOf('return {\n') + 9),
    types: types.join('}').trim(),
  }
}

/** Imports the client of a document. */
export async function load(document: unknown): Promise<AnyClient> {
  return import(pathToFileURL(generate(document)).href)
}
