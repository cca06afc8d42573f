import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentOf, partsOf } from './generated.ts'

const json = (schema: unknown) => ({ description: '', content: { 'application/json': { schema } } })
const text = { type: 'string' }

/** Returns a document with one operation. */
function operation(described: object, path = '/a', method = 'get'): object {
  const tagged = { operationId: 'f', responses: { 204: {} }, ...described }
  return documentOf({ [path]: { [method]: tagged } })
}

describe('the members of a client', () => {
  const names: [what: string, tag: string | undefined, id: string | undefined, expected: string][] = [
    ['the name of the action behind the controller', 'books', 'books_show', 'books: { show'],
    ['the method of a further operation', 'books', 'books_save_put', 'books: { save_put'],
    ['groups for directories', 'admin/reports', 'admin_reports_index', 'admin: { reports: { index'],
    ['underscores as they are', 'with_dash', 'with_dash_list_', 'with_dash: { list_'],
    ['an id without the tag', 'pet', 'getPetById', 'pet: { getPetById'],
    ['an id with another separator', 'repos', 'repos/list-branches', 'repos: { list_branches'],
    ['an id that is the tag', 'ping', 'ping', 'ping: { ping'],
    ['no group without a tag', undefined, 'ping', 'ping'],
    ['words instead of other characters', ' Pet Store! ', '(list all)', 'Pet_Store: { list_all'],
    ['the path without an id', 'pets', undefined, 'pets: { get_a_b_c'],
    ['letters of other alphabets, escaped', 'Bücher', '列表', "'B\\u00fccher': { '\\u5217\\u8868'"],
    ['an underscore before a digit', '2fa', '1', '_2fa: { _1'],
    ['a name that await would call', 'then', 'then', 'then_: { then_'],
    ['the name of the prototype', '__proto__', '__proto__', '__proto___: { __proto___'],
    ['a name that would be a constructor', 'a', 'new', "a: { 'new'"],
    ['reserved words', 'delete', 'class', 'delete: { class'],
  ]
  for (const [what, tag, id, expected] of names) {
    it(`have ${what}`, async () => {
      const operation = { tags: tag === undefined ? [] : [tag], operationId: id, responses: { 204: {} } }
      const { members } = partsOf(documentOf({ '/a/{b}/c': { get: operation } }))
      const names = members.replaceAll(/readonly |\s*\n\s*/g, (found) => (found === 'readonly ' ? '' : ' ')).trim()
      assert.ok(names.startsWith(`${expected}(`), names)
    })
  }

  it('have numbers if their names are equal', async () => {
    const get = { operationId: 'a b', responses: { 204: {} } }
    const { members } = partsOf(
      documentOf({ '/1': { get }, '/2': { get: { ...get, operationId: 'a_b' } }, '/3': { get } }),
    )
    assert.deepEqual(members.match(/^ {2}\w+/gm), ['  a_b', '  a_b2', '  a_b3'])
  })

  const signatures: [what: string, document: object, expected: string][] = [
    ['no arguments', operation({}), 'f(args?: NoArguments, options?: CallOptions): Promise<void>'],
    [
      'required and optional parameters',
      operation({
        parameters: [
          { name: 'q', in: 'query', schema: text },
          { name: 'X-Trace', in: 'header', required: true, schema: text },
        ],
      }),
      "f(args: { q?: string | undefined; 'X-Trace': string }, options?: CallOptions): Promise<void>",
    ],
    [
      'no cookies',
      operation({
        parameters: [{ name: 'session', in: 'cookie', required: true }],
      }),
      'f(args?: NoArguments, options?: CallOptions): Promise<void>',
    ],
    [
      'parameters with the same name',
      operation(
        {
          parameters: [
            { name: 'i', in: 'path', required: true, schema: text },
            { name: 'i', in: 'query', required: true, schema: text },
            { name: 'body', in: 'query', required: true, schema: text },
          ],
          requestBody: { content: { 'application/json': {} } },
        },
        '/{i}',
        'put',
      ),
      'f(\n    args: {\n      i: string\n      i2: string\n      body: string\n      body2?: unknown\n    },\n    options?: CallOptions,\n  ): Promise<void>',
    ],
    [
      'a body by its name',
      operation(
        {
          requestBody: { required: true, content: { 'application/json': { schema: text } } },
          'x-codegen-request-body-name': 'book',
        },
        '/a',
        'post',
      ),
      'f(args: { book: string }, options?: CallOptions): Promise<void>',
    ],
    [
      'a file as the body',
      operation({ requestBody: { required: true, content: { 'image/*': {} } } }, '/a', 'put'),
      'f(args: { body: Blob }, options?: CallOptions): Promise<void>',
    ],
    [
      'a text as the body',
      operation({ requestBody: { required: true, content: { 'text/csv': {} } } }, '/a', 'put'),
      'f(args: { body: string }, options?: CallOptions): Promise<void>',
    ],
    [
      'the result of several statuses',
      operation({ responses: { 200: json(text), 202: json({ type: 'integer' }), 204: {}, 404: json({}) } }),
      'f(args?: NoArguments, options?: CallOptions): Promise<string | number | undefined>',
    ],
    [
      'JSON before HTML',
      operation({ responses: { 200: { content: { 'text/html': {}, ...json(text).content } } } }),
      'f(args?: NoArguments, options?: CallOptions): Promise<string>',
    ],
    [
      'a file as the result',
      operation({ responses: { 200: { content: { 'image/png': {} } } } }),
      'f(args?: NoArguments, options?: CallOptions): Promise<Blob>',
    ],
    [
      'the response of a stream of events',
      operation({ responses: { 200: { content: { 'text/event-stream': {} } } } }),
      'f(args?: NoArguments, options?: CallOptions): Promise<Response>',
    ],
    [
      'unknown results',
      operation({ responses: { 200: json(undefined), 204: {} } }),
      'f(args?: NoArguments, options?: CallOptions): Promise<unknown>',
    ],
  ]
  for (const [what, document, expected] of signatures) {
    it(`have ${what}`, async () => {
      assert.equal(partsOf(document).members.trim(), expected)
    })
  }

  it('leave out methods that no action has', () => {
    const get = { operationId: 'f', responses: { 204: {} } }
    const { members } = partsOf(documentOf({ '/a': { get, trace: get, head: get, options: get } }))
    assert.equal(members.trim(), 'f(args?: NoArguments, options?: CallOptions): Promise<void>')
  })

  it('have no result if no successful response is described', () => {
    const { members } = partsOf(operation({ responses: { 303: {}, 404: json({}) } }))
    assert.equal(members.trim(), 'f(args?: NoArguments, options?: CallOptions): Promise<void>')
  })

  it('have the documentation of operations and parameters', async () => {
    const { members } = partsOf(
      operation({
        summary: 'Lists books.',
        description: 'By title.\nTen to a page. */ @ts-nocheck',
        deprecated: true,
        parameters: [{ name: 'page', in: 'query', description: 'from 1', schema: text }],
      }),
    )
    assert.equal(
      members,
      `  /**
   * Lists books.
   *
   * By title.
   * Ten to a page. * / @ ts-nocheck
   *
   * @deprecated
   */
  f(
    args?: {
      /** from 1 */
      page?: string | undefined
    },
    options?: CallOptions,
  ): Promise<void>
`,
    )
  })
})

describe('the types of a client', () => {
  const types: [what: string, schemas: object, expected: string][] = [
    ['the names of schemas', { book: text, 'a b/c~d': text }, 'export type Book = string\n\nexport type ABCD = string'],
    [
      'other names than those of the client and of the platform',
      { Client: text, Blob: text, ApiError: text, Response: text },
      ['Client2', 'Blob2', 'ApiError2', 'Response2'].map((name) => `export type ${name} = string`).join('\n\n'),
    ],
    [
      'documentation',
      {
        A: {
          description: 'An a.',
          deprecated: true,
          properties: { b: { type: 'integer', description: 'A b.' } },
        },
      },
      '/**\n * An a.\n *\n * @deprecated\n */\nexport type A = {\n  /** A b. */\n  b?: number\n}',
    ],
    [
      'a line for each of more than three members',
      { A: { required: ['a'], properties: { a: text, b: { properties: { x: text } }, 'c d': text, e: {} } } },
      "export type A = {\n  a: string\n  b?: { x?: string }\n  'c d'?: string\n  e?: unknown\n}",
    ],
    [
      'a line for each member if one of them has lines',
      { A: { properties: { a: { properties: { b: { type: 'string', description: 'A b.' } } }, c: text } } },
      'export type A = {\n  a?: {\n    /** A b. */\n    b?: string\n  }\n  c?: string\n}',
    ],
    ['enumerations without the type', { A: { type: 'string', enum: ['a', 'b'] } }, "export type A = 'a' | 'b'"],
    [
      'files',
      { A: { type: 'string', format: 'binary' }, B: { type: 'string', contentMediaType: 'image/png' } },
      'export type A = Blob\n\nexport type B = Blob',
    ],
    [
      'text of embedded files and documents',
      {
        A: { type: 'string', format: 'byte' },
        B: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
        C: { type: 'string', contentMediaType: 'text/html' },
      },
      'export type A = string\n\nexport type B = string\n\nexport type C = string',
    ],
    [
      'inherited members',
      {
        A: { allOf: [{ $ref: '#/components/schemas/B' }, { required: ['a'], properties: { a: text } }] },
        B: { properties: { b: text } },
      },
      'export type A = B & { a: string }\n\nexport type B = { b?: string }',
    ],
  ]
  for (const [what, schemas, expected] of types) {
    it(`have ${what}`, async () => {
      const document = documentOf({ '/a': { get: {} } }, { schemas })
      assert.equal(partsOf(document).types, expected)
    })
  }

  it('are the same for requests and responses, whose schemas are not', () => {
    const user = { $ref: '#/components/schemas/User' }
    const properties = {
      id: { type: 'integer', readOnly: true },
      password: { type: 'string', writeOnly: true },
    }
    const schemas = { User: { type: 'object', required: ['id', 'password'], properties } }
    const put = {
      requestBody: { content: { 'application/json': { schema: user } } },
      responses: { 200: json(user) },
    }
    const { members, types } = partsOf(documentOf({ '/a': { put } }, { schemas }))
    assert.match(members, /body\?: User \| undefined .*Promise<User>/)
    assert.equal(types, 'export type User = { id: number; password: string }')
  })
})
