/** Text that a schema trims: what its JSON Schema allows is accepted. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { z } from 'zod'

const ajv = new Ajv2020({ strict: false, validateFormats: false })

const schemas: Readonly<Record<string, StandardSchemaV1>> = {
  'Zod, at least 1': z.string().trim().min(1),
  'Zod, at least 2': z.string().trim().min(2),
  'Zod, exactly 3': z.string().trim().length(3),
  'Zod, with a pattern': z.string().trim().min(2).regex(/a|^$/),
  'Zod, trimmed last': z.string().min(2).trim(),
  'Valibot, at least 1': v.pipe(v.string(), v.trim(), v.minLength(1)),
  'Valibot, not empty': v.pipe(v.string(), v.trim(), v.nonEmpty()),
  'Valibot, at least 3': v.pipe(v.string(), v.trim(), v.minLength(3)),
  'Valibot, exactly 2': v.pipe(v.string(), v.trim(), v.length(2)),
  'Valibot, trimmed last': v.pipe(v.string(), v.minLength(2), v.trim()),
}

/** Returns the JSON Schema of a body in the document of an application. */
async function documented(schema: StandardSchemaV1): Promise<object> {
  class NotesController extends WSGIController {
    static args = { create: { text: body(schema) } }
    static results = { create: null }
    create(text: unknown) {
      return text === undefined ? null : undefined
    }
  }
  const map = new Mapper().connect('/', {
    controller: 'notes',
    action: 'create',
    conditions: { method: ['POST'] },
  })
  const options = { map, controllers: { notes: NotesController }, openapi: { title: 'Notes', version: '1' } }
  const document = await new FrameworkApp(options).openapi()
  const post: unknown = document?.paths['/']?.post
  return Object(post).requestBody.content['application/json'].schema
}

describe('the JSON Schema of text that is trimmed', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it(`allows nothing that the schema refuses: ${name}`, async () => {
      const allows = ajv.compile(await documented(schema))
      // Libraries count UTF-16 code units, and JSON Schema counts characters, so all characters are one unit.
      const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\u00a0'), maxLength: 6 })
      let allowed = 0
      await fc.assert(
        fc.asyncProperty(text, async (value) => {
          if (!allows(value)) return
          allowed += 1
          const { issues } = await schema['~standard'].validate(value)
          assert.equal(issues, undefined, JSON.stringify(value))
        }),
        { numRuns: 1000 },
      )
      assert.ok(allowed > 0)
    })
  }
})
