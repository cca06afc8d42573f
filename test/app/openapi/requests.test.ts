import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { FrameworkApp, Mapper } from 'propylon'
import { createEnviron, run } from 'propylon/wsgi'
import { BooksController, reset, TEMPLATES } from '../../controllers/declarations/books.ts'
import type { Document, Operation } from './documents.ts'

const BASE = 'https://document.example/'

/** A request to an operation, and whether it is valid by the document. */
interface Sent {
  readonly operation: Operation
  readonly method: string
  readonly url: string
  readonly body: { readonly type: string; readonly text: string } | undefined
  readonly isValid: boolean
}

const app = new FrameworkApp({
  map: new Mapper().resource('book', 'books'),
  controllers: { books: BooksController },
  templates: TEMPLATES,
  logger: { info() {}, warn() {}, error() {} },
  openapi: { title: 'Books', version: '1.0.0' },
})

/** Text that a URL, a form and JSON can have: no lone surrogates, and no NUL, which is never valid. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !value.includes('\0'))

/** Values of parameters, some of them valid. */
const parameter = fc.oneof(fc.integer({ min: -3, max: 9 }).map(String), fc.integer().map(String), text)

/** Bodies, some of them valid: members with the names of the schema, and others. */
const body = fc.oneof(
  fc.record(
    {
      title: fc.oneof(text, fc.constant('')),
      pages: fc.oneof(fc.integer(), fc.integer().map(String), text, fc.double(), fc.jsonValue()),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
)

describe('random requests made from the document', () => {
  let document: Document
  let ajv: Ajv2020
  let sent: fc.Arbitrary<Sent>

  /** Returns the validator of a schema in the document. */
  function validator(schema: unknown): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/', `"${BASE}#/`)
    return ajv.compile(JSON.parse(text))
  }

  before(async () => {
    const made: unknown = JSON.parse(JSON.stringify(await app.openapi()))
    document = made as Document
    ajv = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: false })
    ajv.addSchema({ ...document, $id: BASE })
    const all = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )
    sent = fc.constantFrom(...all).chain(({ path, method, operation }) => {
      const { parameters = [], requestBody } = operation
      const checks = parameters.map(({ schema }) => validator(schema))
      const types = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({
        type,
        check: validator(schema),
      }))
      const content = types.length === 0 ? fc.constant(undefined) : fc.constantFrom(...types)
      const values = fc.tuple(
        ...parameters.map(({ required }) => (required ? parameter : fc.option(parameter))),
      )
      return fc.record({ values, content, value: body }).map(({ values, content, value }): Sent => {
        const isFit = values.every((value, index) => value === null || fits(checks[index], value))
        const written = content && write(content.type, value)
        return {
          operation,
          method: method.toUpperCase(),
          url: urlOf(path, parameters, values),
          body: written && { type: content.type, text: written.text },
          isValid: isFit && (written === undefined || content?.check(written.value) === true),
        }
      })
    })
  })

  it('are never answered by 5xx, and as the document says', async () => {
    let valid = 0
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(sent, { maxLength: 5 }), async (requests) => {
        reset()
        for (const request of requests) {
          const { status, type, text } = await send(request)
          const { operation, isValid } = request
          const response = operation.responses[status]
          assert.ok(response !== undefined, `${request.method} ${request.url}: ${status} is not documented`)
          if (isValid) {
            valid += 1
            const isAccepted = status < 300 || status === 404 || isBeyondSchema(status, text)
            assert.ok(
              isAccepted,
              `${request.method} ${request.url} ${request.body?.text} is ${status}: ${text}`,
            )
          }
          const content = Object(resolved(response).content)
          if (text === '') continue
          assert.ok(content[type] !== undefined, `${status} has the undocumented type ${type}`)
          const check = validator(content[type].schema)
          assert.ok(check(JSON.parse(text)), `${status} ${text}: ${JSON.stringify(check.errors)}`)
        }
      }),
      { numRuns: 300 },
    )
    assert.ok(valid > 50, `only ${valid} requests were valid`)
  })

  function resolved(response: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { $ref } = response
    if (typeof $ref !== 'string') return response
    return $ref
      .split('/')
      .slice(1)
      .reduce<Record<string, unknown>>((value, step) => Object(value[step]), { ...document })
  }
})

/** Returns true if the text of a parameter fits a schema, as the number that it is or as text. */
function fits(check: ValidateFunction | undefined, value: string): boolean {
  // The schema says integer, which clients write in decimal.
  return /^-?(?:0|[1-9][0-9]*)$/.test(value) && check?.(Number(value)) === true
}

function urlOf(
  path: string,
  parameters: readonly Record<string, unknown>[],
  values: readonly (string | null)[],
): string {
  const query = new URLSearchParams()
  let url = path
  for (const [index, { name, in: place }] of parameters.entries()) {
    const value = values[index] ?? null
    if (value === null) continue
    if (place === 'query') query.append(String(name), value)
    // A segment is never empty, and `.` and `..` are removed by clients.
    else url = url.replace(`{${name}}`, encodeURIComponent(/^\.{0,2}$/.test(value) ? `_${value}` : value))
  }
  return query.size === 0 ? url : `${url}?${query}`
}

/** Returns the text of a body with the value that it stands for. */
function write(type: string, value: unknown): { readonly text: string; readonly value: unknown } {
  if (type === 'application/json') {
    const text = JSON.stringify(value)
    return { text, value: JSON.parse(text) }
  }
  const fields =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const texts = fields.filter((field): field is [string, string] => typeof field[1] === 'string')
  return { text: String(new URLSearchParams(texts)), value: Object.fromEntries(texts) }
}

/** Returns true for a refusal that the schema of `pages` cannot express: it takes texts, but those of integers only. */
function isBeyondSchema(status: number, text: string): boolean {
  if (status !== 400) return false
  const { errors = [] } = JSON.parse(text)
  return errors.length > 0 && errors.every(({ name }: { readonly name: string }) => name === 'pages')
}

async function send({ method, url, body }: Sent) {
  const result = await run(
    app.wsgi,
    createEnviron({
      method,
      url,
      headers: [
        ['Accept', 'application/json'],
        ...(body === undefined ? [] : ([['Content-Type', body.type]] as const)),
      ],
      body: body?.text ?? null,
    }),
  )
  const type = result.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return {
    status: Number(result.status.slice(0, 3)),
    type: type.replace(/;.*/, ''),
    text: await result.text(),
  }
}
