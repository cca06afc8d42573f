import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { propylonHere, temporaryFolder } from '../../tools/cli/command-line.ts'

/** Members of the generated clients that tests call without types. */
export interface AnyClient {
  createClient(options: {
    readonly baseUrl: string
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  }): Record<string, (args?: object) => Promise<unknown>>
}

/** Returns an OpenAPI document with some paths. */
export function documentOf(paths: object, components: object = {}, openapi = '3.1.1'): object {
  return { openapi, info: { title: 'Test', version: '1' }, paths, components }
}

/** Returns the path of the client that the command writes for a document. */
export async function generate(document: unknown): Promise<string> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'api.json'), JSON.stringify(document))
  const outcome = await propylonHere(['client', 'api.json', '--out', 'client.ts'], folder)
  assert.deepEqual([outcome.status, outcome.stderr], [0, ''])
  return join(folder, 'client.ts')
}

/** Returns what is generated for a document: the interface of the client, its calls, and the types of its schemas. */
export async function partsOf(document: unknown) {
  const text = readFileSync(await generate(document), 'utf8')
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
  return import(pathToFileURL(await generate(document)).href)
}
