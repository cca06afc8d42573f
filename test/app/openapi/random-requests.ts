/**
 * The property of documented applications: random requests made from the document are never answered by 5xx, valid ones
 * are never refused, and every answer is the one that the document describes.
 */
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { Document, Operation } from './documents.ts'
import { around, text } from './schema-values.ts'

const BASE = 'https://document.example/'

/** A problem document of a refused request. */
export interface Refusal {
  readonly status: number
  readonly errors: readonly { readonly name: string; readonly detail: string }[]
}

/** An application whose answers are compared with its document. */
export interface Documented {
  readonly document: object
  send(request: Request): Promise<Response>
  /** Puts the application into the same state before each sequence of requests. */
  reset?(): void
  /** Members of results that later requests have as parameters. Default `id`. */
  readonly idMembers?: readonly string[]
  /** Returns true for the refusal of a valid request by a rule that JSON Schema cannot express. */
  isBeyondSchema?(refusal: Refusal): boolean
}

/** What was sent. */
export interface Tally {
  /** Number of valid requests. */
  readonly valid: number
  /** Operations that succeeded at least once, by name. */
  readonly succeeded: ReadonlySet<string>
}

/** The value of a parameter, or the position of an id among the answers. Null if it is left out. */
type Value = string | { readonly seen: number } | null

interface Draft {
  readonly operation: Operation
  readonly path: string
  readonly method: string
  readonly values: readonly Value[]
  readonly body: { readonly type: string; readonly value: unknown } | undefined
}

/** Sends random requests that are made from the document of an application, and compares the answers with it. */
export async function assertAnswersAsDocumented(app: Documented, numRuns = 300): Promise<Tally> {
  const schemas = new Schemas(app.document)
  const drafts = draftsOf(schemas)
  const succeeded = new Set<string>()
  let valid = 0
  await fc.assert(
    fc.asyncProperty(fc.array(drafts, { minLength: 1, maxLength: 6 }), async (sequence) => {
      app.reset?.()
      const ids: string[] = []
      for (const draft of sequence) {
        const { request, isValid, sent } = requestOf(draft, ids, schemas)
        const response = await app.send(request)
        const answer = await response.text()
        const what = `${request.method} ${request.url} ${sent}: ${response.status} ${answer}`
        schemas.check(draft.operation, response, answer, what)
        if (response.ok) {
          succeeded.add(draft.operation.operationId)
          ids.push(...idsIn(answer, app.idMembers))
        }
        if (!isValid) continue
        valid += 1
        const isAccepted = response.status < 400 || response.status === 404
        assert.ok(isAccepted || isBeyond(app, response.status, answer), `valid, but refused: ${what}`)
      }
    }),
    { numRuns },
  )
  return { valid, succeeded }
}

function isBeyond(app: Documented, status: number, answer: string): boolean {
  const { errors = [] } = JSON.parse(answer)
  return app.isBeyondSchema?.({ status, errors }) === true
}

/** The schemas of a document. */
class Schemas {
  readonly document: Document
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: false })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: object) {
    this.document = document as Document
    this.#ajv.addSchema({ ...document, $id: BASE })
  }

  /** Returns the validator of a schema in the document. */
  validator(schema: unknown): ValidateFunction {
    const absolute = JSON.stringify(schema).replaceAll('"#/', `"${BASE}#/`)
    const check = this.#validators.get(absolute) ?? this.#ajv.compile(JSON.parse(absolute))
    this.#validators.set(absolute, check)
    return check
  }

  /** Returns the part of the document at a reference. */
  at(reference: string): unknown {
    return reference
      .split('/')
      .slice(1)
      .reduce<unknown>((value, step) => Object(value)[step.replaceAll('~1', '/').replaceAll('~0', '~')], this.document)
  }

  /** Asserts that a response is one that its operation describes. */
  check(operation: Operation, response: Response, answer: string, what: string): void {
    const found = operation.responses[response.status]
    assert.ok(found !== undefined, `not documented: ${what}`)
    if (answer === '') return
    const { $ref } = found
    const { content = {} } = Object(typeof $ref === 'string' ? this.at($ref) : found)
    const type = response.headers.get('content-type')?.replace(/;.*/s, '') ?? ''
    assert.ok(content[type] !== undefined, `of the undocumented type ${type}: ${what}`)
    const check = this.validator(content[type].schema)
    assert.ok(check(JSON.parse(answer)), `${JSON.stringify(check.errors)}: ${what}`)
  }
}

function draftsOf(schemas: Schemas): fc.Arbitrary<Draft> {
  const all = Object.entries(schemas.document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const drafts = all.map(({ path, method, operation }) => {
    const { parameters = [], requestBody } = operation
    const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      around(schema, (reference) => schemas.at(reference)).map((value) => ({ type, value })),
    )
    return fc.record({
      path: fc.constant(path),
      method: fc.constant(method),
      operation: fc.constant(operation),
      values: fc.tuple(...parameters.map(parameterValue)),
      body: bodies.length === 0 ? fc.constant(undefined) : fc.oneof(...bodies),
    })
  })
  return fc.oneof(...drafts)
}

/** Returns values of a parameter, some of them valid. */
function parameterValue({ required, in: place }: Readonly<Record<string, unknown>>): fc.Arbitrary<Value> {
  const written = fc.oneof(
    fc.integer({ min: -3, max: 9 }).map(String),
    fc.integer().map(String),
    fc.constantFrom('true', 'false'),
    // Some routes have a format behind a dot. That of pages chooses a page.
    fc.stringMatching(/^[a-z]{0,4}\.(?:[a-z]{0,3}|json)$/),
    text,
  )
  if (place !== 'path') return required ? written : fc.option(written)
  // A segment is never empty, and `.` and `..` are removed by clients.
  const segment = written.map((value) => (/^\.{0,2}$/.test(value) ? `_${value}` : value))
  return fc.oneof(segment, fc.record({ seen: fc.nat(5) }))
}

function requestOf(draft: Draft, ids: readonly string[], schemas: Schemas) {
  const { parameters = [] } = draft.operation
  const query = new URLSearchParams()
  let url = draft.path
  let isValid = true
  for (const [index, { name, in: place, schema }] of parameters.entries()) {
    const given = draft.values[index] ?? null
    if (given === null) continue
    const value = typeof given === 'string' ? given : (ids[given.seen % ids.length] ?? '1')
    isValid &&= fits(schemas.validator(schema), value)
    if (place === 'query') query.append(String(name), value)
    else url = url.replace(`{${name}}`, () => encodeURIComponent(value))
  }
  const headers = new Headers({ accept: 'application/json' })
  const written = draft.body && write(draft.body.type, draft.body.value)
  if (draft.body !== undefined && written !== undefined) {
    headers.set('content-type', draft.body.type)
    const content = draft.operation.requestBody?.content[draft.body.type]
    isValid &&= schemas.validator(content?.schema)(written.value) && !hasKey('__proto__', written.value)
  }
  const request = new Request(`http://localhost${url}${query.size === 0 ? '' : `?${query}`}`, {
    method: draft.method,
    headers,
    body: written?.text ?? null,
    redirect: 'manual',
  })
  return { request, isValid, sent: written?.text ?? '' }
}

/** Returns true if the text of a parameter fits a schema: as text, or as the number or boolean that it is. */
function fits(check: ValidateFunction, value: string): boolean {
  if (check(value)) return true
  // Clients write numbers in decimal.
  const isJSON = /^(?:-?(?:0|[1-9][0-9]*)|true|false)$/.test(value)
  return isJSON && check(JSON.parse(value))
}

/** Returns the text of a body with the value that it stands for. */
function write(type: string, value: unknown): { readonly text: string; readonly value: unknown } {
  if (type === 'application/json') {
    const written = JSON.stringify(value)
    return { text: written, value: JSON.parse(written) }
  }
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const texts = fields.filter((field): field is [string, string] => typeof field[1] === 'string')
  return { text: String(new URLSearchParams(texts)), value: Object.fromEntries(texts) }
}

/** Returns true if an object in a value has a key. `__proto__` is refused in JSON, which no schema says. */
function hasKey(key: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, key) || Object.values(value).some((each) => hasKey(key, each))
}

/** Returns the ids of the objects in an answer, also of those in lists. */
function idsIn(answer: string, members: readonly string[] = ['id']): string[] {
  if (answer === '') return []
  const value: unknown = JSON.parse(answer)
  return [value, ...Object.values(Object(value))].flat().flatMap((each) =>
    members.flatMap((name) => {
      const id: unknown = Object(each)[name]
      return typeof id === 'string' || typeof id === 'number' ? [String(id)] : []
    }),
  )
}
