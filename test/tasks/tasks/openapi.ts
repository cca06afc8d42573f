import assert from 'node:assert/strict'
import { PROGRAM, type Task } from '../task.ts'

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string }
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
  readonly components?: unknown
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly parameters: readonly { readonly schema: { readonly type?: string } }[]
  readonly responses: Readonly<Record<string, unknown>>
}

/**
 * `GET /books/1` answers with the JSON `{"id":1,"title":"Walden"}`, and `/openapi.json` describes it as OpenAPI 3.1:
 * the path, the integer in it, and the schema of the result. The title of the document is `Library`. The description
 * of the operation is `Shows a book.`
 */
const task: Task = {
  async check({ visitor }) {
    assert.deepEqual((await visitor(PROGRAM).get('/books/1')).json(), { id: 1, title: 'Walden' })
    const document = (await visitor().get('/openapi.json')).json<Document>()
    assert.match(document.openapi, /^3\.1/)
    assert.equal(document.info.title, 'Library')
    const operation = document.paths['/books/{id}']?.get
    assert.match(`${operation?.summary} ${operation?.description}`, /Shows a book/)
    assert.equal(operation?.parameters[0]?.schema.type, 'integer')
    assert.match(
      JSON.stringify([operation.responses['200'], document.components]),
      /"title":\{"type":"string"/,
    )
  },
}

export default task
