/** Fetches documents of the stock, and validates them. */
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
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

/** Compiles a document as a schema with every part of it as a definition, so that each reference must have a target. */
function assertReferences(document: object): void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, target = '']) => target)
  ajv.addSchema({ ...document, $id: 'https://document.example/' })
  for (const reference of references) {
    assert.notEqual(ajv.getSchema(`https://document.example/${reference}`), undefined, `${reference} has no target`)
  }
}
