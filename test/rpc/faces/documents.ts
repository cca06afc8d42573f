/** Fetches documents of the stock, and validates them. */
import assert from 'node:assert/strict'
import * as metaSchema from '@open-rpc/meta-schema'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FrameworkApp } from 'propylon'
import { createEnviron, type EnvironInit, lint, run } from 'propylon/wsgi'

export interface Fetched {
  readonly status: number
  readonly text: string
  header(name: string): string | undefined
}

export async function fetchFrom(app: FrameworkApp, init: EnvironInit): Promise<Fetched> {
  const result = await run(lint(app.wsgi), createEnviron(init))
  return {
    status: Number(result.status.slice(0, 3)),
    text: await result.text(),
    header: (name) => result.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
  }
}

/** Validates a document against the schema of the OpenAPI Initiative, and compiles each schema in it. */
export async function assertOpenAPI(document: object): Promise<void> {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  assert.ok(valid, JSON.stringify(errors))
  assert.equal(validator.version, '3.1')
  assertReferences(document)
}

/** The formats in the meta schema of OpenRPC. */
const FORMATS = {
  uri: (text: string) => URL.canParse(text),
  email: /^[^@\s]+@[^@\s]+$/,
}

/** Validates a document against the meta schema of OpenRPC, and compiles each schema in it. */
export function assertOpenRPC(document: object): void {
  const ajv = new Ajv({ strict: false, formats: FORMATS })
  // The schemas of parameters are of draft 2020-12. The meta schema requires draft 7.
  const { href } = new URL('https://meta.json-schema.tools')
  ajv.addSchema({ definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } } }, href)
  ajv.addSchema({}, href.slice(0, -1))
  // The declarations of the package are those of the documents, not of its export.
  const { $schema, ...schema } = Reflect.get(metaSchema, 'openrpcDocument') as Record<string, unknown>
  const check = ajv.compile(schema)
  assert.ok(check(document), JSON.stringify(check.errors))
  assertReferences(document)
}

/** Compiles a document as a schema with every part of it as a definition, so that each reference must have a target. */
function assertReferences(document: object): void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]*)"/g)].map(
    ([, target = '']) => target,
  )
  ajv.addSchema({ ...document, $id: 'https://document.example/' })
  for (const reference of references) {
    assert.notEqual(
      ajv.getSchema(`https://document.example/${reference}`),
      undefined,
      `${reference} has no target`,
    )
  }
}
